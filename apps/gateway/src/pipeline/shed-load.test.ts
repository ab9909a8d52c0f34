import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { type NamedOperation, type OperationId, operationList } from "@platform/contracts/operations";
import { quotaKey } from "@platform/quota/quota-windows";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGatewayMetrics, type GatewayMetrics } from "../gateway-metrics.ts";
import type { CallingClient } from "../handler.ts";
import { createLoadGate, type LoadGate } from "../load/load-gate.ts";
import { createSlowdown } from "../load/slowdown.ts";
import { createTrafficRefusals, type TrafficRefusals } from "../load/traffic-refusals.ts";
import type { Admission, AdmissionRequest } from "../redis/admission.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import type { Exchange } from "./exchange.ts";
import { createDoor, credentialMark, type Door, type UnmadeRequest } from "./shed-load.ts";

const key = `${"1".repeat(32)}_${"ab".repeat(32)}`;

test("a caller that writes its credential in many cases stays one caller, with one share", () => {
  const marks = ["Bearer pcred_", "bearer pcred_", "BEARER PCRED_", "bEaReR pCrEd_"].map((start) =>
    credentialMark(start + key),
  );
  expect(new Set(marks).size).toBe(1);
});

test("the mark of a credential holds too little of its secret to be used", () => {
  expect(credentialMark(`Bearer pcred_${key}`)).toHaveLength("bearer pcred_".length + 32 + 1 + 16);
  expect(credentialMark(undefined)).toBeNull();
});

const correlationId = "01a1fbbb-12ae-7627-a0c4-c3526432072e";
const client = {
  id: "client",
  scopes: ["clients:read", "audit:write"],
  quotaLimits: { api_traffic: 5 },
} as unknown as CallingClient;
const named = (id: OperationId) => operationList.find((one) => one.id === id) ?? expect.unreachable();
const operation = named("identity.getProjectClient");

let gate: LoadGate;
let door: Door;
let trafficRefusals: TrafficRefusals;
let metrics: GatewayMetrics;
let nowMs: number;
let isSaturated: boolean;
beforeEach(async () => {
  nowMs = 0;
  isSaturated = false;
  gate = createLoadGate({
    inFlightMax: 2,
    inFlightPressed: 2,
    isPressed: () => false,
    isSaturated: () => isSaturated,
    slowdown: () => 1,
  });
  trafficRefusals = createTrafficRefusals(() => nowMs);
  metrics = createGatewayMetrics();
  door = doorOf(gate);
});
afterEach(() => void vi.useRealTimers());

function doorOf(gate: LoadGate): Door {
  return createDoor({
    gate,
    slowdown: createSlowdown(),
    metrics,
    credentials: { known: () => client } as unknown as CredentialCache,
    trafficRefusals,
  });
}

const authorization = `Bearer pcred_${key}`;
const unmade: UnmadeRequest = {
  operation,
  authorization,
  source: "127.0.0.1",
  correlationId,
  isCorrelationIdMalformed: false,
};
const made = () =>
  ({
    ...unmade,
    request: { socket: { listeners: () => [] }, headers: { authorization } },
    answerHeaders: {},
    client: null,
    caller: "a caller",
  }) as unknown as Exchange;
const notReached = () => Promise.reject(new Error("not to be reached"));

/** The processor has had no free moment for long enough that few requests run at once. */
function settleBusy(): void {
  isSaturated = true;
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
}

/** Redis has refused the client's traffic. */
async function useUpTraffic(): Promise<void> {
  const refusal = { used: 5, limit: 5, windowLeftMs: 30_000 };
  const admit = async () => ({ outcome: { kind: "traffic_exceeded", refusal } });
  const admission = trafficRefusals.remembering({ admit } as unknown as Admission);
  await admission.admit({ traffic: { key: quotaKey(client.id, "api_traffic") } } as AdmissionRequest);
}

test("used-up traffic is refused early as it is refused otherwise", async () => {
  await useUpTraffic();
  const exchange = made();
  const answer = await door.stage(exchange, notReached);
  const early = door.refuseEarly(unmade);
  if (answer.kind !== "body" || early === null) throw new Error("the request was not refused");
  const [head = "", body] = early.answer().split("\r\n\r\n");
  expect(body).toBe(answer.body);
  const lines = head.split("\r\n");
  expect(lines[0]).toBe("HTTP/1.1 429 Too Many Requests");
  for (const [name, value] of Object.entries({ ...exchange.answerHeaders, ...answer.headers }))
    expect(lines).toContain(`${name}: ${value}`);
  expect(lines).toEqual(expect.arrayContaining(['ratelimit: "api_traffic";r=0;t=30', "retry-after: 30"]));
});

test("used-up traffic is counted once for each request, when it is refused and not when its answer is written", async () => {
  await useUpTraffic();
  const counted = async () => (await metrics.quotaRefusals.get()).values.map(({ value }) => value);
  const early = door.refuseEarly(unmade);
  expect(await counted()).toEqual([1]);
  early?.answer();
  expect(await counted()).toEqual([1]);
  await door.stage(made(), notReached);
  expect(await counted()).toEqual([2]);
});

test("the one request a second that is to ask Redis again is not kept from it by having been looked at early", async () => {
  await useUpTraffic();
  nowMs = 1_000;
  expect(door.refuseEarly(unmade)).toBeNull();
  expect(await door.stage(made(), async () => ({ kind: "body", status: 200, body: "asked" }))).toMatchObject({
    body: "asked",
  });
  expect(door.refuseEarly(unmade)).not.toBeNull();
});

test("nobody is refused early who would be answered 401, 403 or 422", async () => {
  await useUpTraffic();
  expect(door.refuseEarly({ ...unmade, authorization: undefined })).toBeNull();
  expect(door.refuseEarly({ ...unmade, operation: named("files.createUploadGrant") })).toBeNull();
  const audit = { ...unmade, operation: named("events.createProjectAudit") };
  expect(audit.operation.correlationIdDeclared).toBe(true);
  expect(door.refuseEarly(audit)).not.toBeNull();
  expect(door.refuseEarly({ ...audit, isCorrelationIdMalformed: true })).toBeNull();
});

test("a full process refuses early, but neither health nor bytes", () => {
  for (let index = 0; index < 4; index += 1) gate.enter(`${index}`, () => {});
  expect(door.refuseEarly(unmade)?.answer()).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/);
  expect(door.refuseEarly({ ...unmade, operation: named("edge.getHealth") })).toBeNull();
  expect(door.refuseEarly({ ...unmade, operation: named("files.uploadFile") })).toBeNull();
});

test.each([
  ["of one caller beside another that is refused nothing", 1, 2_000],
  ["of three callers beside another that is refused nothing", 3, 6_000],
  ["of every caller", Number.POSITIVE_INFINITY, 15_000],
])("refusals %s leave at a bounded rate, however often they are asked for", async (_, refusedCallers, perSecond) => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  door = doorOf({ ...gate, refusal: () => "in_flight", refusedCallers: () => refusedCallers });
  let left = 0;
  const ask = () => {
    const turn = door.refuseEarly(unmade)?.turn ?? null;
    if (turn === null) left += 1;
    else void turn.then(() => (left += 1));
  };
  for (let index = 0; index < 20_000; index += 1) ask();
  expect(left).toBe(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(left).toBe(1_000 + perSecond);
});

test("a request that waits is made nothing for until its turn, and nothing at all when its caller goes away", async () => {
  const callers: (string | null)[] = [];
  let gone = 0;
  const arrive = (of: NamedOperation) => {
    const response = Object.assign(new EventEmitter(), { req: { headers: {} } }) as unknown as ServerResponse;
    door.enter(response, of, "127.0.0.1", { begin: (caller) => callers.push(caller), gone: () => (gone += 1) });
    return response;
  };
  settleBusy();
  gate.enter("another", () => {});
  const arrived = Array.from({ length: 6 }, () => arrive(operation));
  expect(callers).toEqual(Array(3).fill("127.0.0.1"));
  expect(arrived.map((response) => response.listenerCount("close"))).toEqual([0, 0, 0, 1, 1, 1]);
  arrived[3]?.emit("close");
  arrived[0]?.emit("close");
  expect(gone).toBe(1);
  arrive(named("edge.getHealth"));
  arrive(named("files.uploadFile"));
  expect(callers.slice(3)).toEqual([null, null]);
  for (const _ of "123") gate.leave("127.0.0.1");
  await new Promise((resolve) => setImmediate(resolve));
  expect(callers.slice(5)).toEqual(Array(2).fill("127.0.0.1"));
  expect(arrived.map((response) => response.listenerCount("close"))).toEqual(Array(6).fill(0));
  expect(gate.inFlight()).toBe(3);
});

test("once a client's credential is known, the address its first request came from is no caller beside it", async () => {
  gate.enter("a caller", () => {});
  const exchange = made();
  await door.stage(exchange, async () => {
    exchange.client = client;
    return { kind: "body", status: 200, body: "" };
  });
  await new Promise((resolve) => setImmediate(resolve));
  settleBusy();
  let begun = 0;
  for (let index = 0; index < 10; index += 1) gate.enter("client", () => (begun += 1));
  expect(begun).toBe(10);
});

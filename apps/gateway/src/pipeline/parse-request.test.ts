import { Readable } from "node:stream";
import { exampleRequests } from "@platform/contracts/examples";
import type { Operation } from "@platform/contracts/operation";
import { operations } from "@platform/contracts/operations";
import type { ServiceError } from "@platform/kit/rpc/errors";
import { describe, expect, test, vi } from "vitest";
import { createAdmissionControl } from "../admission-control/admission-control.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { parseRequest } from "./parse-request.ts";

const body = JSON.stringify({ money: { currency: "JPY", minor: 1 }, note: "x".repeat(64 * 1024) });
const answer: Answer = { kind: "body", status: 202, body: "" };

function exchangeUnderTest(
  signal = new AbortController().signal,
  operation: Operation = operations["edge.noop"],
  sent = body,
): Exchange {
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(sent)),
    "idempotency-key": crypto.randomUUID(),
  };
  const request = Object.assign(Readable.from([Buffer.from(sent)]), { headers });
  return {
    request,
    operation,
    rawParams: {},
    network: "192.0.2.1",
    client: null,
    session: null,
    signal: () => signal,
    parseError: null,
  } as unknown as Exchange;
}

function stageUnderTest(release: (() => void) | null) {
  const enter = vi.fn(async () => release);
  const inc = vi.fn();
  const run = vi.fn(async (_caller: string, work: () => void) => {
    work();
    return true;
  });
  const admissionControl = { bodyBytes: { enter, isShared: () => true }, parsing: { run } };
  const stage = parseRequest({ admissionControl, metrics: { requestsShed: { inc } as never } });
  return { enter, inc, run, stage };
}

test("reserves memory of a large body for client, account or network until the request is over", async () => {
  const release = vi.fn();
  const { stage, enter, inc, run } = stageUnderTest(release);
  const exchange = exchangeUnderTest();
  const next = vi.fn(async () => {
    expect(release).not.toHaveBeenCalled();
    return answer;
  });
  expect(await stage(exchange, next)).toBe(answer);
  expect(exchange.parseError).toBeNull();
  expect(release).toHaveBeenCalledOnce();
  const session = { accountId: "account" } as Exchange["session"];
  const client = { id: "client" } as Exchange["client"];
  await stage(Object.assign(exchangeUnderTest(), { session }), async () => answer);
  await stage(Object.assign(exchangeUnderTest(), { session, client }), async () => answer);
  expect(enter.mock.calls.map(([caller, bytes]: unknown[]) => [caller, bytes])).toEqual(
    ["192.0.2.1", "account", "client"].map((caller) => [caller, Buffer.byteLength(body)]),
  );
  expect(inc).not.toHaveBeenCalled();
  expect(run.mock.calls.map(([caller]) => caller)).toEqual(["192.0.2.1", "account", "client"]);
});

test("parses one large body in each tick of the event loop (CWE-400)", async () => {
  const { bodyBytes, parsing } = createAdmissionControl({
    concurrencyMax: 10,
    concurrencyShared: 10,
    inFlightMax: 10,
    streamsMax: 10,
    bodyBytesMax: 100 * body.length,
  });
  const stage = parseRequest({ admissionControl: { bodyBytes, parsing }, metrics: {} as never });
  let ticks = 0;
  let isOver = false;
  const count = (): void => {
    ticks += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const parsedIn = await Promise.all(
    Array.from({ length: 5 }, () => {
      let tick = 0;
      return stage(exchangeUnderTest(), async () => {
        tick = ticks;
        return answer;
      }).then(() => tick);
    }),
  );
  isOver = true;
  expect(new Set(parsedIn).size).toBe(5);
});

test("validates the path of a proxied request and leaves its body unread", async () => {
  const { stage, enter } = stageUnderTest(null);
  const operation = operations["files.uploadFile"];
  const uploadToken = "a".repeat(64);
  const exchange = Object.assign(exchangeUnderTest(), { operation, rawParams: { uploadToken } });
  expect(await stage(exchange, async () => answer)).toBe(answer);
  expect(exchange.request.readableFlowing).toBeNull();
  expect(enter).not.toHaveBeenCalled();
  exchange.rawParams.uploadToken = "b";
  const enterAgain = async () => stage(exchange, async () => answer);
  await expect(enterAgain()).rejects.toMatchObject({
    code: "contract_violation",
    details: { violations: [{ path: "path:uploadToken" }] },
  });
});

test("refuses a large body whose turn does not come in time before the request is counted", async () => {
  const release = vi.fn();
  const { stage, inc, run } = stageUnderTest(release);
  run.mockResolvedValueOnce(false);
  const next = vi.fn(async () => answer);
  await expect(stage(exchangeUnderTest(), next)).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect([next.mock.calls.length, release.mock.calls.length]).toEqual([0, 1]);
  expect(inc).toHaveBeenCalledExactlyOnceWith({ reason: "parsing" });
});

test("releases the memory when a later stage fails", async () => {
  const release = vi.fn();
  const { stage } = stageUnderTest(release);
  const failing = (): never => {
    throw new Error("behind");
  };
  await expect(stage(exchangeUnderTest(), failing)).rejects.toThrow("behind");
  expect(release).toHaveBeenCalledOnce();
});

test("refuses a large body without memory before the request is counted", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest();
  const next = vi.fn(async () => answer);
  await expect(stage(exchange, next)).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  expect(next).not.toHaveBeenCalled();
  expect(inc).toHaveBeenCalledExactlyOnceWith({ reason: "body_bytes" });
});

test("does not count a caller that left while waiting as refused", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest(AbortSignal.abort());
  expect(await stage(exchange, async () => answer)).toBe(answer);
  expect(exchange.parseError).toMatchObject({ code: "deadline_exceeded" });
  expect(inc).not.toHaveBeenCalled();
});

async function parsed(operationId: keyof typeof operations, sent: string): Promise<Exchange> {
  const exchange = exchangeUnderTest(undefined, operations[operationId], sent);
  await stageUnderTest(() => {}).stage(exchange, async () => answer);
  return exchange;
}

const fingerprintOf = async (sent: string) => (await parsed("edge.noop", sent)).idempotency?.fingerprint;
const noop = (open: string): string => `{"money":{"currency":"JPY","minor":1},"open":${open}}`;

test("computes different fingerprints for bodies whose numbers differ in any digit", async () => {
  const numbers = ["9007199254740992", "9007199254740993", "0.1", "0.10000000000000000001", "0.10000000000000000002"];
  const fingerprints = await Promise.all(numbers.map((number) => fingerprintOf(noop(`{"deep":[${number}]}`))));
  expect(new Set(fingerprints).size).toBe(numbers.length);
  expect(fingerprints).not.toContain(undefined);
  expect(await fingerprintOf(noop('["9007199254740993"]'))).not.toBe(await fingerprintOf(noop("[9007199254740993]")));
});

test("computes one fingerprint for equal numbers in any notation and members in any order", async () => {
  expect(await fingerprintOf(noop("[1.0,1e2,-0]"))).toBe(await fingerprintOf(noop("[1,100,0]")));
  const long = '{"a":9007199254740993,"b":0.10000000000000000001}';
  const swapped = '{"b":0.10000000000000000001,"a":9007199254740993}';
  expect(await fingerprintOf(noop(long))).toBe(await fingerprintOf(noop(swapped)));
});

const intent = (variables: string): string =>
  JSON.stringify({ ...exampleRequests["notify.createNotificationIntent"].body, variables: {} }).replace(
    '"variables":{}',
    `"variables":${variables}`,
  );

test("refuses a number that a double cannot hold, at its pointer", async () => {
  const exchange = await parsed(
    "notify.createNotificationIntent",
    intent('{"n":9007199254740993,"a/b":0.1234567890123456789,"ok":1.50,"text":"9007199254740993"}'),
  );
  const { details } = exchange.parseError as ServiceError;
  const violations = (details as { violations: { path: string; code: string }[] }).violations;
  expect(violations.map(({ path, code }) => `${path} ${code}`)).toEqual([
    "/variables/n invalid_value",
    "/variables/a~1b invalid_value",
  ]);
});

test("accepts a number that a double can hold in any notation", async () => {
  const exchange = await parsed("notify.createNotificationIntent", intent('{"a":1.50,"b":1e2,"c":-0.0}'));
  expect(exchange.parseError).toBeNull();
  expect(exchange.body).toMatchObject({ variables: { a: 1.5, b: 100, c: -0 } });
});

test("refuses a number that only becomes an integer when rounded", async () => {
  const exchange = await parsed(
    "events.publishDomainEvent",
    '{"type":"a.b","schema_version":1.00000000000000000001,"data":{"n":1.00000000000000000001}}',
  );
  expect((exchange.parseError as ServiceError).details.violations).toEqual([
    expect.objectContaining({ path: "/schema_version", code: "invalid_value" }),
  ]);
});

describe.each([
  "1e400",
  "-1E400",
  "1e-400",
  `1${"0".repeat(400)}`,
  "-0",
  "0.10",
  "1.0",
  "1E+2",
  `0.${"1".repeat(500)}`,
])("the number %s of the caller's own JSON", (number) => {
  test("is kept digit for digit, and has a fingerprint of its own", async () => {
    const text = `{"type":"a.b","schema_version":1,"data":{"n":[${number}]}}`;
    const exchange = await parsed("events.publishDomainEvent", text);
    expect(exchange.parseError).toBeNull();
    expect(JSON.stringify(exchange.body)).toBe(text);
    const fingerprint = await fingerprintOf(noop(number));
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprint).not.toBe(await fingerprintOf(noop("null")));
    expect(fingerprint).not.toBe(await fingerprintOf(noop(`"${number}"`)));
    expect(fingerprint).not.toBe(await fingerprintOf(noop("1e401")));
  });
});

test("refuses a number beyond a double where the platform reads it", async () => {
  const exchange = await parsed("notify.createNotificationIntent", intent('{"n":1e400}'));
  expect((exchange.parseError as ServiceError).details.violations).toEqual([
    expect.objectContaining({ path: "/variables/n" }),
  ]);
});

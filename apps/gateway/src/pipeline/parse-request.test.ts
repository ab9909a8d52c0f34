import { Readable } from "node:stream";
import { exampleRequests } from "@platform/contracts/examples";
import { type OperationId, operations } from "@platform/contracts/operations";
import type { ServiceError } from "@platform/kit/rpc/errors";
import { onlyWith } from "@platform/test-kit/only-with";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { scanJson } from "./parse-json.ts";
import { lightBodyBytes, lightValuesMax, parseRequest } from "./parse-request.ts";
import { smallBodyBytes } from "./read-body.ts";
import { createValidationThread } from "./validation-thread.ts";

const validationThread = createValidationThread();
afterAll(() => validationThread.close());

const body = JSON.stringify({ money: { currency: "JPY", minor: 1 }, note: "x".repeat(64 * 1024) });
const answer: Answer = { kind: "body", status: 202, body: "" };

function exchangeUnderTest(
  signal = new AbortController().signal,
  operationId: OperationId = "edge.noop",
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
    operation: { ...operations[operationId], id: operationId },
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
  const run = vi.fn(async (_caller: string, work: () => Promise<void>) => {
    await work();
    return true;
  });
  const admissionControl = { bodyBytes: { enter, isShared: () => true }, parsing: { run } };
  const stage = parseRequest({
    admissionControl,
    validationThread,
    metrics: { requestsShed: onlyWith<GatewayMetrics["requestsShed"]>({ inc }) },
  });
  return { enter, inc, run, stage };
}

test("reserves memory for a large body in the name of the client, account or network, until the request has ended", async () => {
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

test("validates a small request while a large body is being validated (CWE-400)", async () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => `"k${(index * 7_919) % 20_000}":1e2`);
  const large = `{"type":"a.b","schema_version":1,"data":{${numbers.join(",")}}}`;
  const { stage, run } = stageUnderTest(() => {});
  const order: string[] = [];
  const noted = (name: string) => async () => {
    order.push(name);
    return answer;
  };
  const begun = new Promise<void>((resolve) =>
    run.mockImplementationOnce((_caller, work) => {
      const working = work();
      resolve();
      return working.then(() => true);
    }),
  );
  const validating = stage(exchangeUnderTest(undefined, "events.publishDomainEvent", large), noted("large"));
  await begun;
  await stage(exchangeUnderTest(undefined, "edge.noop", noop("1")), noted("small"));
  await validating;
  expect(order).toEqual(["small", "large"]);
});

/** Returns a body for noop with the given number of bytes and of JSON values. */
function bodyOf(bytes: number, values: number): string {
  // The body has five other values: money, its two members, the filler and the array.
  const list = Array.from({ length: values - 5 }, () => 1).join(",");
  const open = `{"money":{"currency":"JPY","minor":1},"list":[${list}],"filler":"`;
  return `${open}${"x".repeat(bytes - open.length - 2)}"}`;
}

test.each([
  { bytes: lightBodyBytes, values: lightValuesMax + 1, turns: 0 },
  { bytes: lightBodyBytes + 1, values: lightValuesMax, turns: 0 },
  { bytes: lightBodyBytes + 1, values: lightValuesMax + 1, turns: 1 },
  { bytes: smallBodyBytes, values: lightValuesMax, turns: 0 },
  { bytes: smallBodyBytes + 1, values: lightValuesMax, turns: 1 },
])(
  "parses and validates a body of $bytes bytes and $values values in $turns steps of the parsing queue",
  async ({ bytes, values, turns }) => {
    const sent = bodyOf(bytes, values);
    expect([Buffer.byteLength(sent), scanJson(Buffer.from(sent)).values]).toEqual([bytes, values]);
    const { stage, run } = stageUnderTest(() => {});
    const exchange = exchangeUnderTest(undefined, "edge.noop", sent);
    expect(await stage(exchange, async () => answer)).toBe(answer);
    expect(exchange).toMatchObject({ parseError: null, body: { money: { currency: "JPY", minor: 1 } } });
    expect(run).toHaveBeenCalledTimes(turns);
  },
);

test("validates the path of a proxied request, and does not read its body", async () => {
  const { stage, enter } = stageUnderTest(null);
  const operation = { ...operations["files.uploadFile"], id: "files.uploadFile" as const };
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

test("rejects a large body that waits too long to be parsed, before the request is counted", async () => {
  const release = vi.fn();
  const { stage, inc, run } = stageUnderTest(release);
  run.mockResolvedValueOnce(false);
  const next = vi.fn(async () => answer);
  await expect(stage(exchangeUnderTest(), next)).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect([next.mock.calls.length, release.mock.calls.length]).toEqual([0, 1]);
  expect(inc).toHaveBeenCalledExactlyOnceWith({ reason: "parsing" });
});

test("releases the memory if a later stage fails", async () => {
  const release = vi.fn();
  const { stage } = stageUnderTest(release);
  const failing = (): never => {
    throw new Error("behind");
  };
  await expect(stage(exchangeUnderTest(), failing)).rejects.toThrow("behind");
  expect(release).toHaveBeenCalledOnce();
});

test("rejects a large body for which there is no memory, before the request is counted", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest();
  const next = vi.fn(async () => answer);
  await expect(stage(exchange, next)).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  expect(next).not.toHaveBeenCalled();
  expect(inc).toHaveBeenCalledExactlyOnceWith({ reason: "body_bytes" });
});

test("does not count a request as rejected if its caller disconnected while it was waiting", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest(AbortSignal.abort());
  expect(await stage(exchange, async () => answer)).toBe(answer);
  expect(exchange.parseError).toMatchObject({ code: "deadline_exceeded" });
  expect(inc).not.toHaveBeenCalled();
});

async function parsed(operationId: OperationId, sent: string): Promise<Exchange> {
  const exchange = exchangeUnderTest(undefined, operationId, sent);
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

test("computes the same fingerprint for equal numbers in any notation and members in any order", async () => {
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

test("rejects a number that a double cannot represent, at its pointer", async () => {
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

test("accepts a number that a double can represent, in any notation", async () => {
  const exchange = await parsed("notify.createNotificationIntent", intent('{"a":1.50,"b":1e2,"c":-0.0}'));
  expect(exchange.parseError).toBeNull();
  expect(exchange.body).toMatchObject({ variables: { a: 1.5, b: 100, c: -0 } });
});

test("rejects a number that is an integer only after rounding", async () => {
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
  test("keeps all digits of a number, with a fingerprint of its own", async () => {
    const text = `{"type":"a.b","schema_version":1,"data":{"n":[${number}]}}`;
    const exchange = await parsed("events.publishDomainEvent", text);
    expect(exchange.parseError).toBeNull();
    expect(exchange.body).toMatchObject({ dataJson: `{"n":[${number}]}` });
    const fingerprint = await fingerprintOf(noop(number));
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprint).not.toBe(await fingerprintOf(noop("null")));
    expect(fingerprint).not.toBe(await fingerprintOf(noop(`"${number}"`)));
    expect(fingerprint).not.toBe(await fingerprintOf(noop("1e401")));
  });
});

test("rejects a number that a double cannot represent if the platform itself reads it", async () => {
  const exchange = await parsed("notify.createNotificationIntent", intent('{"n":1e400}'));
  expect((exchange.parseError as ServiceError).details.violations).toEqual([
    expect.objectContaining({ path: "/variables/n" }),
  ]);
});

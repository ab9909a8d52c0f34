import { Readable } from "node:stream";
import { operations } from "@platform/contracts/operations";
import { expect, test, vi } from "vitest";
import type { Answer, Exchange } from "./exchange.ts";
import { parseRequest } from "./parse-request.ts";

const body = JSON.stringify({ money: { currency: "JPY", minor: 1 }, note: "x".repeat(64 * 1024) });
const answer: Answer = { kind: "body", status: 202, body: "" };

function exchangeUnderTest(signal = new AbortController().signal): Exchange {
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "idempotency-key": crypto.randomUUID(),
  };
  const request = Object.assign(Readable.from([Buffer.from(body)]), { headers });
  const operation = operations["edge.noop"];
  return {
    request,
    operation,
    rawParams: {},
    source: "192.0.2.1",
    client: null,
    session: null,
    signal: () => signal,
    parseError: null,
  } as unknown as Exchange;
}

function stageUnderTest(place: (() => void) | null) {
  const take = vi.fn(async () => place);
  const inc = vi.fn();
  return { take, inc, stage: parseRequest({ bodyRoom: { take }, metrics: { requestsShed: { inc } as never } }) };
}

test("a large body has its room until the request is over, in the name of the client, else of the account, else of the address", async () => {
  const giveBack = vi.fn();
  const { stage, take, inc } = stageUnderTest(giveBack);
  const exchange = exchangeUnderTest();
  const next = vi.fn(async () => {
    expect(giveBack).not.toHaveBeenCalled();
    return answer;
  });
  expect(await stage(exchange, next)).toBe(answer);
  expect(exchange.parseError).toBeNull();
  expect(giveBack).toHaveBeenCalledOnce();
  const session = { accountId: "account" } as Exchange["session"];
  const client = { id: "client" } as Exchange["client"];
  await stage(Object.assign(exchangeUnderTest(), { session }), async () => answer);
  await stage(Object.assign(exchangeUnderTest(), { session, client }), async () => answer);
  expect(take.mock.calls.map(([caller, bytes]: unknown[]) => [caller, bytes])).toEqual(
    ["192.0.2.1", "account", "client"].map((caller) => [caller, Buffer.byteLength(body)]),
  );
  expect(inc).not.toHaveBeenCalled();
});

test("what fails behind it gives the room back, too", async () => {
  const giveBack = vi.fn();
  const { stage } = stageUnderTest(giveBack);
  const failing = (): never => {
    throw new Error("behind");
  };
  await expect(stage(exchangeUnderTest(), failing)).rejects.toThrow("behind");
  expect(giveBack).toHaveBeenCalledOnce();
});

test("a large body without room is refused before the request is counted", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest();
  const next = vi.fn(async () => answer);
  await expect(stage(exchange, next)).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  expect(next).not.toHaveBeenCalled();
  expect(inc).toHaveBeenCalledExactlyOnceWith({ reason: "body_bytes" });
});

test("a caller that left while its body waited for room is refused nothing", async () => {
  const { stage, inc } = stageUnderTest(null);
  const exchange = exchangeUnderTest(AbortSignal.abort());
  expect(await stage(exchange, async () => answer)).toBe(answer);
  expect(exchange.parseError).toMatchObject({ code: "deadline_exceeded" });
  expect(inc).not.toHaveBeenCalled();
});

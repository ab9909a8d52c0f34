import { operationList } from "@platform/contracts/operations";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGatewayMetrics } from "../src/gateway-metrics.ts";
import type { Answer, Exchange } from "../src/pipeline/exchange.ts";
import { meter } from "../src/pipeline/meter.ts";
import { createReplayRetention } from "../src/pipeline/replay-retention.ts";
import { idempotencyRecordKey, parseRecord } from "../src/redis/idempotency-record.ts";
import { newClaimId } from "../src/redis/metering.ts";
import { createRecordWaiter } from "../src/redis/record-waiter.ts";
import { createSettlements, type Settlements } from "../src/redis/settlements.ts";
import { done, fingerprint, recordKey, request, startMetering } from "./metering-fixture.ts";

// A Redis that keeps its data even if it is killed.
let fixture: Awaited<ReturnType<typeof startMetering>>;
let settlements: Settlements;
beforeEach(async () => {
  fixture = await startMetering(["--appendonly", "yes", "--appendfsync", "always"]);
  settlements = createSettlements(fixture.metering, silentLogger());
});
afterEach(async () => {
  await settlements.close();
  await fixture.close();
});

const operation = operationList.find(({ id }) => id === "edge.noop");
const budgetMs = 2_000;

/** Returns a request of `edge.noop` with the key "key", and a deadline of `budgetMs` for its own work. */
function exchangeOf(): Exchange {
  if (operation === undefined) throw new Error("edge.noop is an operation");
  return {
    operation,
    deadlineMs: Date.now() + budgetMs,
    client: null,
    parseError: null,
    idempotency: { key: "key", fingerprint },
    answerHeaders: {},
    source: "",
  } as Partial<Exchange> as Exchange;
}

const stage = () =>
  meter({
    metering: fixture.metering,
    settlements,
    waiter: createRecordWaiter(fixture.redis),
    retention: createReplayRetention({ keptMs: 60_000, isMemoryShort: () => false, isMemoryHalfFull: () => false }),
    metrics: createGatewayMetrics(),
    usage: { count: () => {} },
    credentialUsage: { count: () => {} },
    gaugeOwners: { restore: async () => {} },
  });

test("settles a claim again once a killed Redis is back, so that a repeat receives the outcome", async () => {
  const claim = request();
  await fixture.metering.meter(claim);
  await fixture.server.kill();
  settlements.settle(claim, { outcome: "keep", record: done });
  await eventually(() => settlements.owed() === 1);
  await fixture.server.start();
  await eventually(() => settlements.owed() === 0);
  expect(parseRecord((await fixture.redis.get(recordKey("key"))) ?? "").state).toBe("done");
});

test("takes over the key of a dead gateway at the end of its lease, with time left for the work", async () => {
  const key = idempotencyRecordKey(null, "edge.noop", "key");
  // The lease is longer than the repeat's own deadline. The record outlives the lease, like that of a claim that has
  // spent units.
  const leaseMs = 1.5 * budgetMs;
  const dead = { key, fingerprint, claimId: newClaimId(), leaseMs };
  await fixture.metering.meter({ traffic: null, idempotency: dead, spend: null });
  await fixture.redis.pexpire(key, 60_000);
  const admitted = stage();
  const exchange = exchangeOf();
  let leftMs = 0;
  const answer: Answer = { kind: "body", status: 202, body: "{}" };
  const answered = await admitted(exchange, async () => {
    leftMs = exchange.deadlineMs - Date.now();
    return answer;
  });
  expect(answered).toEqual(answer);
  expect(leftMs).toBeGreaterThan(0);
});

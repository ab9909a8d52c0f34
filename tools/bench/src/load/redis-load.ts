import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createAdmission, newClaimId } from "@platform/gateway/redis/admission";
import { claimMs, idempotencyRecordKey } from "@platform/gateway/redis/idempotency-records";
import { connectRedis } from "@platform/quota/connect-redis";
import { quotaKey, windowArgument } from "@platform/quota/quota-windows";
import { Redis } from "ioredis";
import { databaseOfLoads, emptyDatabaseOfLoads } from "./redis-database.ts";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/** Admissions as the gateway makes them, or the least script there is: one EVALSHA that counts and answers. */
export type RedisLoad = {
  readonly what: "admission" | "evalsha";
  /** The gateway's own connection, on which commands of one event-loop tick leave in one write, or ioredis as it comes. */
  readonly connection: "gateway" | "ioredis";
  readonly url: string;
  readonly inFlight: number;
  readonly durationMs: number;
};

export async function runRedisLoad(load: RedisLoad): Promise<LoadSample> {
  const url = databaseOfLoads(load.url);
  const redis = load.connection === "gateway" ? connectRedis(url, () => {}) : new Redis(url);
  if (redis.status !== "ready") await once(redis, "ready");
  const call = load.what === "admission" ? admissions(redis) : await countings(redis);
  try {
    return await runClosedLoop({ concurrency: load.inFlight, durationMs: load.durationMs, once: call });
  } finally {
    redis.disconnect();
    await emptyDatabaseOfLoads(load.url);
  }
}

function admissions(redis: Redis) {
  const admission = createAdmission(redis);
  const clientId = randomUUID();
  const run = randomBytes(8).toString("hex");
  const limit = 1_000_000_000_000;
  const window = windowArgument("day");
  const key = quotaKey(clientId, "events");
  const spend = { key, claimsKey: key, window, amount: 1, limit, keepMs: 86_400_000 };
  const traffic = { key: quotaKey(clientId, "api_traffic"), limit };
  return async (index: number): Promise<void> => {
    const key = idempotencyRecordKey(clientId, "events.publishDomainEvent", `${run}-${index}`);
    const claim = { key, fingerprint: "0".repeat(64), claimId: newClaimId(), leaseMs: claimMs };
    const { outcome } = await admission.admit({ traffic, spend, idempotency: claim });
    if (outcome.kind !== "admitted") throw new Error(outcome.kind);
  };
}

async function countings(redis: Redis) {
  const key = randomUUID();
  const sha = (await redis.script("LOAD", "return redis.call('INCR', KEYS[1])")) as string;
  return (): Promise<unknown> => redis.evalsha(sha, 1, key);
}

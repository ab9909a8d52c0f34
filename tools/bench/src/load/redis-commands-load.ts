import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { newClaimId } from "@platform/gateway/redis/admission";
import { claimMs, idempotencyRecordKey } from "@platform/gateway/redis/idempotency-records";
import { connectRedis } from "@platform/quota/connect-redis";
import { quotaKey } from "@platform/quota/quota-windows";
import { databaseOfLoads, emptyDatabaseOfLoads } from "./redis-database.ts";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/** What an admission decides, without its script: one command after the other, since each is only due when the one before it has granted the request. */
export type RedisCommandsLoad = { readonly url: string; readonly inFlight: number; readonly durationMs: number };

const limit = 1_000_000_000_000;

export async function runRedisCommandsLoad(load: RedisCommandsLoad): Promise<LoadSample> {
  const redis = connectRedis(databaseOfLoads(load.url), () => {});
  if (redis.status !== "ready") await once(redis, "ready");
  const clientId = randomUUID();
  const run = randomBytes(8).toString("hex");
  const [trafficKey, spendKey] = [quotaKey(clientId, "api_traffic"), quotaKey(clientId, "events")];
  const count = async (key: string, windowMs: number): Promise<void> => {
    const used = await redis.incr(key);
    if (used === 1) await redis.pexpire(key, windowMs);
    if (used > limit) throw new Error("exceeded");
  };
  const admit = async (index: number): Promise<void> => {
    await count(trafficKey, 60_000);
    const key = idempotencyRecordKey(clientId, "events.publishDomainEvent", `${run}-${index}`);
    const known = await redis.set(key, `R${"0".repeat(64)}${newClaimId()}`, "PX", claimMs, "NX", "GET");
    if (known !== null) throw new Error("key_known");
    await count(spendKey, 86_400_000);
  };
  try {
    return await runClosedLoop({ concurrency: load.inFlight, durationMs: load.durationMs, once: admit });
  } finally {
    redis.disconnect();
    await emptyDatabaseOfLoads(load.url);
  }
}

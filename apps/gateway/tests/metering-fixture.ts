import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { gaugeClaimsKey, quotaKey } from "@platform/quota/quota-windows";
import { startTestRedis } from "@platform/test-kit/redis";
import { doneRecord, idempotencyRecordKey } from "../src/redis/idempotency-record.ts";
import { createMetering, type MeteringRequest, newClaimId } from "../src/redis/metering.ts";

export const client = "client-1";
export const dayMs = 86_400_000;
export const fingerprint = "a".repeat(64);
export const recordKey = (key: string): string => idempotencyRecordKey(client, "events.publishDomainEvent", key);

/** The record of a success. */
export const done = { text: doneRecord(fingerprint, 200, "{}"), ms: 60_000 };
export const unclear = { outcome: "unclear", record: null } as const;

export type RequestChanges = {
  client?: string;
  key?: string;
  fingerprint?: string;
  leaseMs?: number;
  trafficLimit?: number;
  window?: number;
  amount?: number;
  limit?: number;
  keepMs?: number;
  resource?: string;
};

/**
 * Returns a request that counts traffic, claims a key and spends one unit of `events`, of which it may spend ten a day.
 * `changes` overrides its parts.
 */
export function request(changes: RequestChanges = {}): MeteringRequest & { idempotency: object; spend: object } {
  const {
    client: clientId = client,
    key = "key",
    resource = "events",
    trafficLimit = 10_000,
    leaseMs = 30_000,
  } = changes;
  const { window = dayMs, amount = 1, limit = 10, keepMs = dayMs } = changes;
  const counter = quotaKey(clientId, resource);
  return {
    traffic: { key: quotaKey(clientId, "api_traffic"), limit: trafficLimit },
    idempotency: {
      key: idempotencyRecordKey(clientId, "events.publishDomainEvent", key),
      fingerprint: changes.fingerprint ?? fingerprint,
      claimId: newClaimId(),
      leaseMs,
    },
    spend: { key: counter, claimsKey: gaugeClaimsKey(clientId, resource), window, amount, limit, keepMs },
  };
}

/** Starts metering on a Redis of the test's own. */
export async function startMetering(settings: readonly string[] = []) {
  const server = await startTestRedis(settings);
  const redis = connectRedis(server.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
  const metering = createMetering(redis);
  return {
    server,
    redis,
    metering,
    meter: async (asked: MeteringRequest): Promise<string> => (await metering.meter(asked)).outcome.kind,
    used: (resource: string): Promise<number> => createQuota(redis).used(client, resource),
    close: async () => {
      redis.disconnect();
      await server.close();
    },
  };
}

import { shareProbe } from "@platform/kit/process/telemetry";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { checkRedis } from "@platform/quota/check-redis";
import type { RedisConnection } from "@platform/quota/connect-redis";
import type { ComponentStatus, HealthProbe } from "./handlers/edge/get-health.ts";
import { isNearlyFull, redisMemory } from "./redis/redis-memory.ts";

/**
 * Each component is probed at most once per `keptMs`, and awaited for at most `lateMs`. A service detects within 600 ms
 * that its database is unavailable (the kit's health), so `/health` shows it within a second and always responds within
 * a second.
 */
const sharing = { keptMs: 300, lateMs: 700, late: "down" } as const;

/** Probes Redis and each service, concurrently and independently. */
export function createHealthProbe(
  redis: RedisConnection,
  connections: Readonly<Record<string, GrpcConnection>>,
): HealthProbe {
  // A Redis that has no memory for the check's own write is degraded, like one that is nearly full. Any other error is
  // an outage.
  const probeRedis = async (): Promise<ComponentStatus> => {
    const [result, memory] = await Promise.all([checkRedis(redis), redisMemory(redis)]);
    if (result !== true) return result.startsWith("OOM ") ? "degraded" : "down";
    return isNearlyFull(memory) ? "degraded" : "ok";
  };
  const probes = [
    { name: "redis", ask: shareProbe<ComponentStatus>(probeRedis, sharing) },
    ...Object.entries(connections).map(([service, connection]) => ({
      name: `${service}-svc`,
      ask: shareProbe<ComponentStatus>(() => connection.health(sharing.lateMs), sharing),
    })),
  ];
  return () => Promise.all(probes.map(async ({ name, ask }) => ({ name, status: await ask() })));
}

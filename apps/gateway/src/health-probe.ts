import { shareProbe } from "@platform/kit/process/telemetry";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { checkRedis } from "@platform/quota/check-redis";
import type { RedisConnection } from "@platform/quota/connect-redis";
import type { ComponentStatus, HealthProbe } from "./handlers/edge/get-health.ts";
import { isNearlyFull, redisMemory } from "./redis/redis-memory.ts";

/**
 * Each component is probed at most once per `keptMs`, and its result is awaited for at most `lateMs`. A service detects
 * within 600 ms that its database is unavailable (the kit's health), so `/health` reports it within a second. `/health`
 * itself always responds within a second.
 */
const sharing = { keptMs: 300, lateMs: 700, late: "down" } as const;

/** Creates the probe of Redis and of each service. It probes them concurrently and independently. */
export function createHealthProbe(
  redis: RedisConnection,
  connections: Readonly<Record<string, GrpcConnection>>,
): HealthProbe {
  // A Redis without memory for the write of this check is degraded, like one that is nearly full. Any other error is an
  // outage.
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

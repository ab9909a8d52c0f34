import type { RedisConnection } from "@platform/quota/connect-redis";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";
import type { ComponentStatus, HealthProbe } from "./handlers/edge/get-health.ts";
import { isNearlyFull, redisMemory } from "./redis/redis-memory.ts";

/** Longest wait for one component, in milliseconds: the whole probe answers in under a second. */
const componentMs = 700;

/** Probes Redis and each service at once. */
export function createHealthProbe(
  redis: RedisConnection,
  connections: Readonly<Record<string, GrpcConnection>>,
): HealthProbe {
  const probeRedis = async (): Promise<ComponentStatus> => (isNearlyFull(await redisMemory(redis)) ? "degraded" : "ok");
  const bounded = (probe: Promise<ComponentStatus>): Promise<ComponentStatus> => {
    const late = new Promise<ComponentStatus>((resolve) => setTimeout(() => resolve("down"), componentMs).unref());
    return Promise.race([probe.catch((): ComponentStatus => "down"), late]);
  };
  return () =>
    Promise.all([
      bounded(probeRedis()).then((status) => ({ name: "redis", status })),
      ...Object.entries(connections).map(async ([service, connection]) => ({
        name: `${service}-svc`,
        status: await bounded(connection.health(componentMs)),
      })),
    ]);
}

import type { GrpcConnection } from "@platform/service-kit/grpc/connect";
import { shareProbe } from "@platform/service-kit/process/share-probe";
import type { Redis } from "ioredis";
import type { ComponentStatus, HealthProbe } from "./handlers/edge/get-health.ts";

/**
 * A component is asked at most once in `keptMs`, whatever is asked of this gateway, and waited for `lateMs` at most. A service takes up to
 * 600 ms to notice that its database is away (service-kit's health), so `/health` shows it within a second, and always answers within one.
 */
const sharing = { keptMs: 300, lateMs: 700, late: "down" } as const;

/** Probes Redis and each service, each at once and by itself. */
export function createHealthProbe(redis: Redis, connections: Readonly<Record<string, GrpcConnection>>): HealthProbe {
  const probeRedis = async (): Promise<ComponentStatus> => ((await redis.ping()) === "PONG" ? "ok" : "down");
  const probes = [
    { name: "redis", ask: shareProbe<ComponentStatus>(probeRedis, sharing) },
    ...Object.entries(connections).map(([service, connection]) => ({
      name: `${service}-svc`,
      ask: shareProbe<ComponentStatus>(() => connection.health(sharing.lateMs), sharing),
    })),
  ];
  return () => Promise.all(probes.map(async ({ name, ask }) => ({ name, status: await ask() })));
}

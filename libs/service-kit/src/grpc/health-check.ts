import type { Server } from "@grpc/grpc-js";
import type { Health } from "../process/health.ts";

/** The standard health check (grpc.health.v1), which Kubernetes' gRPC probes call too. */
export const healthCheckPath = "/grpc.health.v1.Health/Check";

/** HealthCheckResponse with its only field, `status` (1): 1 SERVING, 2 NOT_SERVING. */
const serving = Buffer.from([0x08, 0x01]);
const notServing = Buffer.from([0x08, 0x02]);

/** What a HealthCheckResponse says: a process that answers but is not serving counts as degraded. */
export function readHealth(reply: Buffer): "ok" | "degraded" {
  return reply.equals(serving) ? "ok" : "degraded";
}

/** Adds the health check to a server. Without a `health` it serves as long as it answers. */
export function addHealthCheck(server: Server, health: Health | null): void {
  const bytes = (value: Buffer): Buffer => value;
  server.addService(
    {
      check: {
        path: healthCheckPath,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      },
    },
    {
      check: (_call: unknown, respond: (error: null, reply: Buffer) => void) => {
        const failing = health === null ? Promise.resolve([]) : health.failing();
        failing.then((names) => respond(null, names.length === 0 ? serving : notServing));
      },
    },
  );
}

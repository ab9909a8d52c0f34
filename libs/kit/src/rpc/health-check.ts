import { type handleUnaryCall, type Server, type ServiceDefinition, status } from "@grpc/grpc-js";
import { service } from "grpc-health-check";
import type { Health } from "../process/health.ts";

/** The standard health check (grpc.health.v1), which the gRPC probes of Kubernetes also call. */
const definition = service as unknown as ServiceDefinition<{
  Check: handleUnaryCall<{ service: string }, { status: string }>;
}>;
export const healthCheckPath = definition.Check.path;

/** Request for the health of the process as a whole. */
export const healthCheckRequest = definition.Check.requestSerialize({ service: "" });

/** Reads a HealthCheckResponse: a process that responds but does not serve is degraded. */
export function readHealth(reply: Uint8Array): "ok" | "degraded" {
  const { status: served } = definition.Check.responseDeserialize(Buffer.from(reply)) as { status: string };
  return served === "SERVING" ? "ok" : "degraded";
}

/**
 * Adds the health check to a server. It reports `health`; if that is null, it always reports that the server is
 * serving.
 */
export function addHealthCheck(server: Server, health: Health | null): void {
  server.addService(definition as ServiceDefinition, {
    Check: async (
      call: { request: { service: string } },
      respond: (error: { code: status } | null, reply?: { status: string }) => void,
    ) => {
      if (call.request.service !== "") return respond({ code: status.NOT_FOUND });
      const failing = health === null ? [] : await health.failing();
      respond(null, { status: failing.length === 0 ? "SERVING" : "NOT_SERVING" });
    },
  });
}

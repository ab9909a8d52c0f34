import { createLogger, createMetrics } from "@platform/kit/process/telemetry";
import { implement, serveGrpc } from "@platform/kit/rpc/server";
import { DomainEventService } from "@platform/proto/events/v1/events_service";

// A service of the kit that responds immediately, so that only the call itself is measured.
const server = await serveGrpc({
  host: "127.0.0.1",
  port: 0,
  tls: null,
  logger: createLogger("bench", "error"),
  metrics: createMetrics("bench"),
  services: [
    implement(DomainEventService, {
      publishDomainEvent: async (request, call) => ({
        event: {
          id: call.correlationId,
          projectClientId: call.projectClient?.id ?? "",
          type: request.type,
          schemaVersion: request.schemaVersion,
          dataJson: request.dataJson,
        },
        replayed: false,
      }),
    }),
  ],
});
console.log(`LISTENING ${server.port}`);

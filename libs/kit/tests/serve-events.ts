import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import { type GrpcServer, serveGrpc } from "../src/rpc/serve.ts";
import { type Implementation, implement } from "../src/rpc/served-service.ts";
import type { Guard } from "../src/rpc/server-call.ts";

export type Publish = Implementation<typeof DomainEventService>["publishDomainEvent"];

type ServeEventsOptions = {
  readonly host?: string;
  readonly port?: number;
  readonly isMuxServed?: boolean;
  readonly guard?: Guard | undefined;
};

/** Serves one RPC over gRPC on loopback, at a free port by default. The caller closes the server. */
export function serveEvents(
  publishDomainEvent: Publish,
  { host = "127.0.0.1", port = 0, isMuxServed = true, guard }: ServeEventsOptions = {},
): Promise<GrpcServer> {
  return serveGrpc({
    host,
    port,
    tls: null,
    logger: silentLogger(),
    metrics: createMetrics("test", { processMetrics: false }),
    services: [implement(DomainEventService, { publishDomainEvent }, guard)],
    isMuxServed,
  });
}

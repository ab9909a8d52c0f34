import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import { serveGrpc } from "../src/rpc/serve.ts";
import { implement } from "../src/rpc/served-service.ts";

// A service that runs in a process of its own, for tests that stop it. It responds to each call with the types of all
// calls that it has started.
const begun: string[] = [];
const server = await serveGrpc({
  host: "127.0.0.1",
  port: 0,
  tls: null,
  logger: silentLogger(),
  metrics: createMetrics("test", { processMetrics: false }),
  services: [
    implement(DomainEventService, {
      publishDomainEvent: async ({ type }) => {
        begun.push(type.slice(0, 20));
        return { event: { type: begun.join(" ") } };
      },
    }),
  ],
});
process.stdout.write(`LISTENING ${server.port}\n`);

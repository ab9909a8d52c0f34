import { type RunningService, type ServiceOverrides, startService } from "@platform/service-kit/service/start-service";
import type { ServerConfig } from "./config.ts";
import { eventsServices } from "./grpc/services.ts";
import { createAnnouncePublished } from "./redis/published-events.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";

/** Starts the server of events-svc. */
export const createEventsServer = (config: ServerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startService({
    name: "events-svc",
    config,
    overrides,
    openStores: eventsModels,
    wire: ({ stores: models, clock, closing, logger, connectRedis }) => {
      const publisher = createEventPublisher(models.event, {
        clock,
        isRelayed: config.natsUrl !== null,
        onPublished: createAnnouncePublished(connectRedis(), logger),
      });
      return { grpc: eventsServices({ ...config, models, publisher, clock, closing }, config.operatorToken) };
    },
  });

import { connectGrpc } from "@platform/kit/rpc/client";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { startPlatformService } from "@platform/operator-plane/service";
import { createQuota } from "@platform/quota/quota";
import type { ServerConfig } from "./config.ts";
import { eventsServices } from "./grpc/services.ts";
import { createAnnouncePublished } from "./redis/published-events.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";
import { resourceOwners } from "./store/resource-owners.ts";
import { searchedCollections } from "./store/searched-collections.ts";

/** Starts the server of events-svc. */
export const createEventsServer = (config: ServerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "events-svc",
    config,
    overrides,
    openStores: eventsModels,
    searched: searchedCollections,
    owners: resourceOwners,
    wire: ({ stores: models, clock, closing, logger, connectRedis, watchDisabledClients, onClose }) => {
      const redis = connectRedis();
      const publisher = createEventPublisher(models.event, {
        clock,
        isRelayed: config.nats !== null,
        onPublished: createAnnouncePublished(redis, logger),
      });
      // The list of disabled clients is needed only for the streams of consumers.
      const disabledClients = watchDisabledClients();
      const identity = connectGrpc({ address: config.identityAddress, tls: config.tls });
      onClose(identity.close);
      const dependencies = {
        ...config,
        models,
        publisher,
        quota: createQuota(redis),
        identity,
        clock,
        closing,
        disabledClients,
        operatorTokens: [config.operatorToken, config.operatorTokenPrevious].filter(
          (token) => typeof token === "string",
        ),
      };
      return { grpc: eventsServices(dependencies) };
    },
  });

import { connectGrpc } from "@platform/kit/rpc/client";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { startPlatformService } from "@platform/operator-plane/service";
import { createAttachedFiles } from "./attached-files.ts";
import type { ServerConfig } from "./config.ts";
import { countEndpoints } from "./count-endpoints.ts";
import { createDerivedTokens } from "./derived-tokens.ts";
import { notifyServices } from "./grpc/services.ts";
import { createUnsubscribeApp } from "./http/unsubscribe-app.ts";
import { resourceOwners } from "./store/resource-owners.ts";
import { searchedCollections } from "./store/searched-collections.ts";
import { createStores } from "./store/stores.ts";

/** Starts the server of notify-svc: gRPC for the gateway and operators, HTTP for the unsubscribe page. */
export const createNotifyServer = (config: ServerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "notify-svc",
    config,
    overrides,
    openStores: createStores,
    searched: searchedCollections,
    owners: resourceOwners,
    wire: async ({ stores, clock, logger, onClose, watchDisabledClients, watchPlatformEventClients }) => {
      const [disabledClients, toldClients] = await Promise.all([watchDisabledClients(), watchPlatformEventClients()]);
      stores.facts.follow(toldClients);
      onClose(countEndpoints(stores, { clock, logger }).close);
      const { outboundAllow, smtpUrl } = config.providers;
      const tokens = createDerivedTokens(config.keyring);
      const filesSvc = connectGrpc({ address: config.filesAddress, tls: config.tls });
      onClose(filesSvc.close);
      const files = createAttachedFiles(filesSvc);
      const deps = { stores, tokens, files, clock, outboundAllow, hasDefaultSmtp: smtpUrl !== null };
      return {
        grpc: notifyServices(deps),
        http: { listener: createUnsubscribeApp({ stores, tokens, disabledClients, clock, logger }) },
      };
    },
  });

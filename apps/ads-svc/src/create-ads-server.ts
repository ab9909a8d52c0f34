import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { startPlatformService } from "@platform/operator-plane/service";
import { createUsageReporter } from "@platform/operator-plane/usage";
import type { ServerConfig } from "./config.ts";
import type { AdsDependencies } from "./grpc/dependencies.ts";
import { createCampaignFinder } from "./grpc/find-campaign.ts";
import { adsServices } from "./grpc/services.ts";
import { createImpressionLedger } from "./ledger/impression-ledger.ts";
import { createLedgerMetrics } from "./ledger/ledger-metrics.ts";
import { createAdsStore } from "./store/ads-store.ts";
import { resourceOwners } from "./store/resource-owners.ts";
import { searchedCollections } from "./store/searched-collections.ts";
import { createDecisionTokens } from "./tokens/decision-tokens.ts";
import { createSigningKeyRing } from "./tokens/signing-key-ring.ts";

/** Interval at which the counts of rejected reports are written to the database, in milliseconds. */
const reportMs = 5_000;

/** Starts the server of ads-svc. */
export const createAdsServer = (config: ServerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "ads-svc",
    config,
    overrides,
    openStores: createAdsStore,
    searched: searchedCollections,
    owners: resourceOwners,
    wire: async ({ stores: store, clock, logger, metrics, watchDisabledClients, onClose }) => {
      const { keyring, tokenIssuer: issuer } = config;
      const ledgerMetrics = createLedgerMetrics(metrics.registry);
      const keys = createSigningKeyRing({ store: store.signingKeys, keyring, clock });
      const refusals = createUsageReporter(store.campaignRefusals.record, { everyMs: reportMs, clock, logger });
      onClose(refusals.close);
      const dependencies: AdsDependencies = {
        store,
        // Every accepted call waits for its append, so no write to the ledger is pending once the server has finished
        // its calls.
        ledger: createImpressionLedger({ store: store.impressions, clock, logger, metrics: ledgerMetrics }),
        refusals,
        keys,
        tokens: createDecisionTokens({ keys, issuer, clock }),
        campaignFinder: createCampaignFinder(store.campaigns),
        disabledClients: await watchDisabledClients(),
        keyring,
        metrics: ledgerMetrics,
        clock,
      };
      return { grpc: adsServices(dependencies) };
    },
  });

import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { channelFollower } from "@platform/quota/follow-channel";
import { watchDisabledClients } from "@platform/service-kit/clients/disabled-clients";
import { operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, serveGrpc } from "@platform/service-kit/grpc/serve";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { ServerConfig } from "./config.ts";
import { campaignOperations } from "./grpc/admin/campaign-operations.ts";
import { createCampaign } from "./grpc/admin/create-campaign.ts";
import { getCampaign } from "./grpc/admin/get-campaign.ts";
import { issueDecisions } from "./grpc/admin/issue-decisions.ts";
import { listCampaigns } from "./grpc/admin/list-campaigns.ts";
import { resolveAttribution } from "./grpc/admin/resolve-attribution.ts";
import { listSigningKeys, revokeSigningKey, rotateSigningKey } from "./grpc/admin/signing-keys.ts";
import { verifyCampaignLedger } from "./grpc/admin/verify-campaign-ledger.ts";
import type { AdsDependencies } from "./grpc/dependencies.ts";
import { createCampaignFinder } from "./grpc/find-campaign.ts";
import { recordViewableImpression } from "./grpc/record-viewable-impression.ts";
import { createImpressionLedger } from "./ledger/impression-ledger.ts";
import { createLedgerMetrics } from "./ledger/ledger-metrics.ts";
import { openAdsStore } from "./store/ads-store.ts";
import { createDecisionTokens } from "./tokens/decision-tokens.ts";
import { createSigningKeyRing } from "./tokens/signing-key-ring.ts";

export type AdsServer = RunningProcess & { readonly grpcPort: number; readonly probePort: number };

/** Starts ads-svc: gRPC for the gateway and for operators, probes, nothing else. */
export async function createAdsServer(
  config: ServerConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<AdsServer> {
  const logger = overrides.logger ?? createLogger("ads-svc", config.logLevel);
  const { keyring } = config;
  const metrics = createMetrics("ads-svc");
  const ledgerMetrics = createLedgerMetrics(metrics.registry);
  const store = await openAdsStore(config.mongo);
  const clock = overrides.clock ?? store.clock;
  const disabledClients = await watchDisabledClients({
    identity: { address: config.identityAddress, tls: config.tls },
    follow: channelFollower(config.redis, (error) =>
      logger.warn({ err: error, component: "redis" }, "redis subscription failed"),
    ),
    logger,
  });
  const keys = createSigningKeyRing({ store: store.signingKeys, keyring, clock });
  const dependencies: AdsDependencies = {
    store,
    ledger: createImpressionLedger({ store: store.impressions, clock, logger, metrics: ledgerMetrics }),
    keys,
    tokens: createDecisionTokens({ keys, issuer: config.tokenIssuer, clock }),
    findCampaign: createCampaignFinder(store.campaigns),
    disabledClients,
    keyring,
    metrics: ledgerMetrics,
    clock,
  };
  const health = createHealth();
  await store.checkKeyring(keyring, { logger, health });
  health.addCheck("mongodb", store.ping);
  const { host, tls } = config;
  const services = implementServices(dependencies, config.operatorToken);
  const grpc = await serveGrpc({ host, port: config.grpcPort, tls, services, logger, metrics, health });
  const probes = await serveProbes({ host, port: config.probePort, health, registry: metrics.registry });
  health.setServing(true);
  logger.info({ port: grpc.port }, "serving");
  return {
    logger,
    grpcPort: grpc.port,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      // Every call that was taken waits for its append, so when the server is drained the ledgers are too.
      await grpc.close();
      await disabledClients.close();
      await store.close();
      await probes.close();
    },
  };
}

function implementServices(dependencies: AdsDependencies, operatorToken: string) {
  const guard = operatorGuard(operatorToken);
  return [
    implement(ImpressionService, { recordViewableImpression: recordViewableImpression(dependencies) }),
    implement(
      CampaignAdminService,
      {
        createCampaign: createCampaign(dependencies),
        getCampaign: getCampaign(dependencies),
        listCampaigns: listCampaigns(dependencies),
        verifyCampaignLedger: verifyCampaignLedger(dependencies),
      },
      guard,
    ),
    campaignOperations(dependencies, guard),
    implement(
      DecisionAdminService,
      {
        issueDecisions: issueDecisions(dependencies),
        listSigningKeys: listSigningKeys(dependencies),
        rotateSigningKey: rotateSigningKey(dependencies),
        revokeSigningKey: revokeSigningKey(dependencies),
        resolveAttribution: resolveAttribution(dependencies),
      },
      guard,
    ),
  ];
}

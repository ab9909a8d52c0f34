import { randomBytes } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { type CallOptions, connectGrpc, type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { CampaignOperationsService } from "@platform/proto/ads/v1/campaign_operations_admin";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { readServerConfig } from "../src/config.ts";
import { createAdsServer } from "../src/create-ads-server.ts";

/** The environment variables of an ads-svc process that uses the test's database. */
export function adsEnvironment(mongo: TestMongo): Record<string, string> {
  return {
    HOST: "127.0.0.1",
    GRPC_PORT: "0",
    PROBE_PORT: "0",
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: randomBytes(32).toString("hex"),
    LOG_LEVEL: "warn",
  };
}

/** Options of one call, with its deadline. */
export function adsCall(deadlineMs = steadyNowMs() + 30_000): CallOptions {
  const context = { correlationId: newId(), operation: "test", projectClient: null, idempotency: null };
  return { context, deadlineMs };
}

export type AdsClients = ReturnType<typeof adsClients>;

/** Clients for the services of an ads-svc at a port. */
export function adsClients(port: number, operatorToken: string) {
  const connection: GrpcConnection = connectGrpc({
    address: `127.0.0.1:${port}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
  const impressions = connection.service(ImpressionService);
  const campaigns = connection.service(CampaignAdminService);
  const decisions = connection.service(DecisionAdminService);
  const operations = connection.service(CampaignOperationsService);
  return {
    impressions,
    campaigns,
    decisions,
    operations,
    close: () => connection.close(),
    /** Creates a campaign and returns its id. */
    createCampaign: async (terms: {
      cpmMinor: number;
      budgetMinor: number;
      projectClientId?: string;
    }): Promise<string> => {
      const { campaign } = await campaigns.createCampaign(
        {
          name: "Spring",
          currency: "JPY",
          cpmMinor: BigInt(terms.cpmMinor),
          budgetMinor: BigInt(terms.budgetMinor),
          destinationUrl: "https://advertiser.example/spring?x=1",
          ...defined({ projectClientId: terms.projectClientId }),
        },
        adsCall(),
      );
      return campaign?.id ?? "";
    },
    /** Signs `count` decision tokens of a campaign. */
    decide: async (campaignId: string, count: number, format = "display"): Promise<string[]> => {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const next = { campaignId, placement: "home", format, expiresInSeconds: 3600 };
        const wanted = Math.min(1000, count - tokens.length);
        tokens.push(...(await decisions.issueDecisions({ ...next, count: wanted }, adsCall())).tokens);
      }
      return tokens;
    },
    /** Reports that the ad of a token was viewed. By default, the measurement is far above every threshold. */
    report: (token: string, visibleRatioBasisPoints = 10_000, durationMilliseconds = 2_000, call = adsCall()) =>
      impressions.recordViewableImpression({ token, visibleRatioBasisPoints, durationMilliseconds }, call),
    /** The numbers that the campaign itself shows. */
    campaign: async (campaignId: string) => {
      const { campaign } = await campaigns.getCampaign({ campaignId }, adsCall());
      return {
        status: campaign?.status,
        impressions: Number(campaign?.impressions),
        chargedMinor: Number(campaign?.chargedMinor),
      };
    },
    /** Recounts the campaign's ledger, document by document. */
    verify: (campaignId: string) => campaigns.verifyCampaignLedger({ campaignId }, adsCall()),
  };
}

/** Starts an ads-svc in this process, with its own database and a clock that the test advances. */
export async function startAdsFixture(extra: Record<string, string> = {}) {
  const mongo = await startTestMongo();
  const env = { ...adsEnvironment(mongo), ...extra };
  const time = { nowMs: Math.floor(Date.now() / 1000) * 1000 };
  const config = readServerConfig(env);
  const start = () => createAdsServer(config, { logger: silentLogger(), clock: () => new Date(time.nowMs) });
  const server = await start();
  const ads = adsClients(server.grpcPort, config.operatorToken);
  return {
    mongo,
    env,
    config,
    time,
    ads,
    port: server.grpcPort,
    /** Starts a second server on the same database. */
    startReplica: async () => {
      const replica = await start();
      const clients = adsClients(replica.grpcPort, config.operatorToken);
      const stop = async (): Promise<void> => {
        clients.close();
        await replica.close();
      };
      return { ...clients, stop };
    },
    close: async () => {
      ads.close();
      await server.close();
      await mongo.close();
    },
  };
}

import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { type CallOptions, connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { newId } from "@platform/service-kit/secrets/id";
import { runHttpLoad } from "./http-load.ts";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/** Viewable Impressions of new campaigns in turn; afterwards each ledger is recounted. */
export type ImpressionLoad = {
  readonly address: string;
  /** Where the gateway listens, to report them over HTTP as browsers do; without it they go to ads-svc by gRPC. */
  readonly gatewayPort?: number;
  readonly operatorToken: string;
  readonly campaigns: number;
  readonly inFlight: number;
  readonly durationMs: number;
};

/** More than one process reports; signed before the time runs. */
const tokensPerMs = 8;
const tokensPerCall = 1_000;
const cpmMinor = 250n;

/** Rejects when an impression was not recorded or a ledger does not add up to floor(n × 250 / 1000). */
export async function runImpressionLoad(load: ImpressionLoad): Promise<LoadSample> {
  const connection = connectGrpc({
    address: load.address,
    tls: null,
    metadata: { authorization: `Bearer ${load.operatorToken}` },
  });
  try {
    const campaignIds: string[] = [];
    for (let index = 0; index < load.campaigns; index += 1) campaignIds.push(await createCampaign(connection));
    const perCampaign = Math.ceil((tokensPerMs * load.durationMs) / load.campaigns);
    const tokens: string[][] = [];
    for (const campaignId of campaignIds) tokens.push(await decide(connection, campaignId, perCampaign));
    const inTurn = Array.from(
      { length: perCampaign * load.campaigns },
      (_, index) => tokens[index % load.campaigns]?.[Math.floor(index / load.campaigns)] ?? "",
    );
    const sample = await (load.gatewayPort === undefined
      ? reportByGrpc(connection, inTurn, load)
      : reportByHttp(load.gatewayPort, inTurn, load));
    for (const campaignId of campaignIds) await verify(connection, campaignId);
    return sample;
  } finally {
    connection.close();
  }
}

function reportByGrpc(
  connection: GrpcConnection,
  tokens: readonly string[],
  load: ImpressionLoad,
): Promise<LoadSample> {
  const { recordViewableImpression } = connection.service(ImpressionService);
  return runClosedLoop({
    concurrency: load.inFlight,
    durationMs: load.durationMs,
    limit: tokens.length,
    once: async (index) => {
      const request = { token: tokens[index] ?? "", visibleRatioBasisPoints: 10_000, durationMilliseconds: 2_000 };
      const answer = await recordViewableImpression(request, call(10));
      if (!answer.recorded) throw new Error("an impression was not recorded");
    },
  });
}

function reportByHttp(port: number, tokens: readonly string[], load: ImpressionLoad): Promise<LoadSample> {
  return runHttpLoad({
    port,
    method: "POST",
    path: "/api/v1/advertising/viewable-impressions",
    headers: {},
    body: null,
    bodies: tokens.map((token) =>
      JSON.stringify({ token, visible_ratio_basis_points: 10_000, duration_milliseconds: 2_000 }),
    ),
    idempotencyKey: "none",
    connections: load.inFlight,
    durationMs: load.durationMs,
  });
}

async function createCampaign(connection: GrpcConnection): Promise<string> {
  const terms = { name: "bench", currency: "JPY", cpmMinor, budgetMinor: 1_000_000_000n };
  const request = { ...terms, destinationUrl: "https://advertiser.example/" };
  const { campaign } = await connection.service(CampaignAdminService).createCampaign(request, call(30));
  return campaign?.id ?? "";
}

async function decide(connection: GrpcConnection, campaignId: string, count: number): Promise<string[]> {
  const { issueDecisions } = connection.service(DecisionAdminService);
  const tokens: string[] = [];
  while (tokens.length < count) {
    const next = Math.min(tokensPerCall, count - tokens.length);
    const request = { campaignId, placement: "bench", format: "display", expiresInSeconds: 86_400, count: next };
    tokens.push(...(await issueDecisions(request, call(30))).tokens);
  }
  return tokens;
}

async function verify(connection: GrpcConnection, campaignId: string): Promise<void> {
  const audit = await connection.service(CampaignAdminService).verifyCampaignLedger({ campaignId }, call(120));
  if (!audit.valid || audit.chargedMinor !== (audit.impressions * cpmMinor) / 1_000n) {
    throw new Error(`the ledger of ${campaignId} does not add up: ${audit.reason} at ${audit.faultOrdinal}`);
  }
}

function call(seconds: number): CallOptions {
  const context = { correlationId: newId(), operation: "bench", projectClient: null, idempotency: null };
  return { context, deadlineMs: Date.now() + seconds * 1_000 };
}

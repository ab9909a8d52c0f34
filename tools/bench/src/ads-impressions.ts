import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { type CallOptions, connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { newId } from "@platform/service-kit/secrets/id";
import { MongoClient } from "mongodb";

/** One measurement. */
export type ImpressionRow = {
  readonly work: string;
  readonly concurrency: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Beside raw driver inserts at the same concurrency; null for those themselves. */
  readonly ratioToRaw: number | null;
};

const connectionsMax = 4;

/**
 * Viewable impressions per second through a real ads-svc process, over gRPC and one MongoDB, for one hot campaign and for 100; beside raw
 * driver inserts of the same documents with the same write concern. Verifies each ledger afterwards and throws when one does not add up.
 * @param seconds length of each measurement
 */
export async function benchAdsImpressions(options: {
  mongodbUri: string;
  seconds: number;
  concurrencies?: readonly number[];
}): Promise<ImpressionRow[]> {
  const { mongodbUri, seconds, concurrencies = [16, 64, 256] } = options;
  const database = `bench_ads_${randomBytes(4).toString("hex")}`;
  const service = await startAdsProcess(mongodbUri, database);
  const rows: ImpressionRow[] = [];
  try {
    for (const concurrency of concurrencies) {
      const raw = await measureRaw(mongodbUri, `${database}_raw`, concurrency, seconds);
      rows.push({ work: "raw driver insertOne", concurrency, ...raw, ratioToRaw: null });
      for (const campaigns of [1, 100]) {
        const measured = await measureImpressions(service, campaigns, concurrency, seconds);
        const work = campaigns === 1 ? "impressions, one hot campaign" : `impressions, ${campaigns} campaigns`;
        rows.push({ work, concurrency, ...measured, ratioToRaw: measured.perSecond / raw.perSecond });
      }
    }
    return rows;
  } finally {
    await service.stop();
    const client = await MongoClient.connect(mongodbUri);
    await client.db(database).dropDatabase();
    await client.db(`${database}_raw`).dropDatabase();
    await client.close();
  }
}

type Measured = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

/** Runs `work` from `concurrency` callers until the time is over or it answers false. */
async function measure(concurrency: number, seconds: number, work: () => Promise<boolean>): Promise<Measured> {
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  const caller = async (): Promise<void> => {
    for (let at = performance.now(); at < until; at = performance.now()) {
      if (!(await work())) return;
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const elapsedSeconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const percentile = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? 0;
  return { perSecond: latencies.length / elapsedSeconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

async function measureRaw(uri: string, database: string, concurrency: number, seconds: number): Promise<Measured> {
  const client = await MongoClient.connect(uri, { maxPoolSize: 50, writeConcern: { w: "majority", journal: true } });
  const collection = client.db(database).collection<{ _id: string }>("impressions");
  await collection.createIndex({ campaign_id: 1, ordinal: 1 }, { unique: true });
  const campaignId = randomUUID();
  let ordinal = (await collection.countDocuments({})) + 1_000_000 * concurrency;
  const measured = await measure(concurrency, seconds, async () => {
    ordinal += 1;
    await collection.insertOne({
      _id: newId(),
      campaign_id: campaignId,
      ordinal,
      charged_minor: 0,
      claim: newId(),
      placement: "bench",
      format: "display",
      visible_ratio_basis_points: 10_000,
      duration_milliseconds: 2_000,
      issued_at: new Date(),
      recorded_at: new Date(),
    } as { _id: string });
    return true;
  });
  await client.close();
  return measured;
}

async function measureImpressions(
  service: AdsProcess,
  campaignCount: number,
  concurrency: number,
  seconds: number,
): Promise<Measured> {
  const campaigns = await Promise.all(Array.from({ length: campaignCount }, () => createCampaign(service.admin)));
  const wanted = Math.ceil((12_000 * seconds) / campaignCount);
  const tokens: string[] = [];
  for (const campaignId of campaigns) tokens.push(...(await decide(service.admin, campaignId, wanted)));
  // Campaign after campaign in turn, as traffic of many campaigns comes.
  const inTurn = tokens.map((_, index) => tokens[(index % campaignCount) * wanted + Math.floor(index / campaignCount)]);
  const clients = service.connections.map((connection) => connection.service(ImpressionService));
  let next = 0;
  const measured = await measure(concurrency, seconds, async () => {
    const token = inTurn[next];
    const client = clients[next % clients.length];
    next += 1;
    if (token === undefined || client === undefined) return false;
    const request = { token, visibleRatioBasisPoints: 10_000, durationMilliseconds: 2_000 };
    const answer = await client.recordViewableImpression(request, call(30));
    if (!answer.recorded) throw new Error("an impression was not recorded");
    return true;
  });
  for (const campaignId of campaigns) await verify(service.admin, campaignId);
  return measured;
}

async function createCampaign(admin: GrpcConnection): Promise<string> {
  const terms = { currency: "JPY", cpmMinor: 250n, budgetMinor: 1_000_000_000n };
  const { campaign } = await admin
    .service(CampaignAdminService)
    .createCampaign({ name: "bench", ...terms, destinationUrl: "https://advertiser.example/" }, call(30));
  return campaign?.id ?? "";
}

async function decide(admin: GrpcConnection, campaignId: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) {
    const request = { campaignId, placement: "bench", format: "display", expiresInSeconds: 86_400 };
    const next = Math.min(1000, count - tokens.length);
    tokens.push(
      ...(await admin.service(DecisionAdminService).issueDecisions({ ...request, count: next }, call(30))).tokens,
    );
  }
  return tokens;
}

async function verify(admin: GrpcConnection, campaignId: string): Promise<void> {
  const audit = await admin.service(CampaignAdminService).verifyCampaignLedger({ campaignId }, call(120));
  if (!audit.valid || audit.chargedMinor !== (audit.impressions * 250n) / 1000n) {
    throw new Error(`campaign ${campaignId} does not add up: ${audit.reason} at ${audit.faultOrdinal}`);
  }
}

function call(seconds: number): CallOptions {
  const context = { correlationId: newId(), operation: "bench", projectClient: null, idempotency: null };
  return { context, deadlineMs: Date.now() + seconds * 1000 };
}

type AdsProcess = {
  readonly admin: GrpcConnection;
  /** Several, as a gateway has. */
  readonly connections: readonly GrpcConnection[];
  stop(): Promise<void>;
};

async function startAdsProcess(mongodbUri: string, database: string): Promise<AdsProcess> {
  const operatorToken = randomBytes(32).toString("hex");
  const port = await freePort();
  const entryPoint = join(import.meta.dirname, "../../../apps/ads-svc/src/start-server.ts");
  const child: ChildProcess = spawn(process.execPath, [entryPoint], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      GRPC_PORT: `${port}`,
      PROBE_PORT: "0",
      MONGODB_URI: mongodbUri,
      MONGODB_DATABASE: database,
      SERVICE_KEY: randomBytes(32).toString("base64"),
      OPERATOR_TOKEN: operatorToken,
      LOG_LEVEL: "error",
    },
  });
  const metadata = { authorization: `Bearer ${operatorToken}` };
  const connect = (): GrpcConnection => connectGrpc({ address: `127.0.0.1:${port}`, tls: null, metadata });
  const connections = Array.from({ length: connectionsMax }, connect);
  const admin = connect();
  if (!(await admin.ready(30_000))) throw new Error("ads-svc did not start");
  return {
    admin,
    connections,
    stop: async () => {
      for (const connection of [admin, ...connections]) connection.close();
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

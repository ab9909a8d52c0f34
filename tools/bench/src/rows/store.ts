import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { LoadSample } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { type Bench, type Contender, type Row, ratioCheck } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const inFlight = 64;
const goal = 1.1;

/** Each acknowledged write of the platform over HTTP, beside the raw driver doing the same writes on the same server. */
export const storeRow: Row = {
  id: "STORE",
  title: `Durable writes through the platform beside the raw driver, ${inFlight} in flight`,
  run: async (bench) => {
    const platform = await bench.platform();
    const domains = [
      posted(bench, platform, "publish", "/domain-events", eventBody, ["events", "domain_events"]),
      posted(bench, platform, "audit", "/project-audits", auditBody, ["events", "project_audits"]),
      posted(bench, platform, "upload grant", "/file-objects/upload-grants", grantBody, ["files", "file_objects"]),
      impressions(bench, platform),
      await deliveries(bench, platform),
    ];
    await storeOne(platform, "/domain-events", eventBody, authorized(platform));
    await storeOne(platform, "/project-audits", auditBody, authorized(platform));
    await storeOne(platform, "/file-objects/upload-grants", grantBody, authorized(platform));
    const limit = "driver: publish, insertMany of 16";
    const measured = await bench.measure([
      ...domains.flatMap(({ ours, raw }) => [ours, raw]),
      rawContender(bench, platform, limit, "insertMany", ["events", "domain_events"]),
    ]);
    return {
      measured,
      checks: [
        ...domains.map(({ ours, raw }) => ratioCheck(measured, [ours.name, raw.name], goal)),
        ratioCheck(measured, [domains[0]?.ours.name ?? "", limit], null),
      ],
      notes: [
        "The driver copies documents the platform stored into a collection with the same indexes, one insertOne each; for a delivery it inserts, claims and settles.",
      ],
    };
  },
};

/** Name and version of the server, as it gives them. */
export async function storeVersion(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    const info = await client.db("admin").command({ buildInfo: 1 });
    return info.ferretdb === undefined
      ? `MongoDB ${info.version}`
      : `FerretDB ${info.ferretdb.version} over PostgreSQL with DocumentDB`;
  } finally {
    await client.close();
  }
}

type Pair = { readonly ours: Contender; readonly raw: Contender };
type Source = readonly [service: string, collection: string];

const auditBody = JSON.stringify({
  actor_id: "user-1",
  action: "document.published",
  resource_type: "document",
  resource_id: "document-1",
  outcome: "succeeded",
});
const grantBody = JSON.stringify({
  expected_sha256: "a".repeat(64),
  expected_content_type: "text/plain",
  maximum_bytes: 1_000,
});

function rawContender(
  bench: Bench,
  { stack }: Platform,
  name: string,
  what: "insert" | "insertMany" | "deliver",
  [service, collection]: Source,
): Contender {
  const load = { uri: stack.mongodbUri, database: stack.databaseOf(service), collection, what, inFlight };
  const unit = what === "deliver" ? "deliveries/s" : "inserts/s";
  return {
    name,
    role: "baseline",
    unit,
    run: (durationMs) => bench.generator.run("rawWrites", { ...load, durationMs }),
  };
}

/** Has the platform store something, of which the driver can then make copies. */
async function storeOne(
  { port }: Platform,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  for (const until = Date.now() + 60_000; ; await delay(500)) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": randomUUID() },
      body,
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { data: Record<string, string> }).data;
    if (Date.now() > until) throw new Error(`${path} answered ${response.status}: ${text}`);
  }
}

/** Counts what was acknowledged, and not what was refused. */
function acknowledged(contender: Contender): Contender {
  return {
    ...contender,
    run: async (durationMs) => {
      const sample = await contender.run(durationMs);
      const refused = Object.values(sample.refusals).reduce((sum, count) => sum + count, 0);
      const share = (sample.count - refused) / Math.max(1, sample.count);
      return { ...sample, count: sample.count - refused, perSecond: sample.perSecond * share };
    },
  };
}

function posted(bench: Bench, platform: Platform, name: string, path: string, body: string, source: Source): Pair {
  const request = {
    port: platform.port,
    connections: inFlight,
    headers: authorized(platform),
    body,
    path: `/api/v1${path}`,
  };
  return {
    ours: acknowledged(
      httpContender(bench, { ...request, name: `platform: ${name}`, role: "ours", idempotencyKey: "fresh" }),
    ),
    raw: rawContender(bench, platform, `driver: ${name}`, "insert", source),
  };
}

function impressions(bench: Bench, platform: Platform): Pair {
  const { stack, port } = platform;
  const [address, operatorToken] = [stack.settings.ADS_GRPC ?? "", stack.settings.OPERATOR_TOKEN ?? ""];
  const load = { address, operatorToken, gatewayPort: port, campaigns: 1, inFlight };
  return {
    ours: acknowledged({
      name: "platform: impression",
      role: "ours",
      run: (durationMs) => bench.generator.run("impressions", { ...load, durationMs }),
    }),
    raw: rawContender(bench, platform, "driver: impression", "insert", ["ads", "impressions"]),
  };
}

/** Intents over HTTP, each claimed by the worker and mailed to the sink; the time runs until the last has arrived. */
async function deliveries(bench: Bench, platform: Platform): Promise<Pair> {
  const demo = await platform.demo();
  const headers = { authorization: `Bearer ${demo.PROJECT_CREDENTIAL}` };
  const sink = platform.stack.settings.SINK_URL ?? "";
  const store = (path: string, body: object) => storeOne(platform, path, JSON.stringify(body), headers);
  const endpoint = await store("/email-delivery-endpoints", { address: "bench@example.com" });
  await store(`/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  const intent = {
    sender_profile_id: demo.SENDER_PROFILE_EMAIL,
    template_key: demo.DEMO_TEMPLATE_EMAIL,
    locale: "en",
    endpoint_id: endpoint.id,
    variables: { name: "Ada" },
  };
  await store("/notification-intents", intent);
  const intents = acknowledged(
    httpContender(bench, {
      name: "platform: claim and deliver",
      role: "ours",
      port: platform.port,
      connections: inFlight,
      path: "/api/v1/notification-intents",
      headers,
      body: JSON.stringify(intent),
      idempotencyKey: "fresh",
    }),
  );
  const run = async (durationMs: number): Promise<LoadSample> => {
    const before = await arrived(sink);
    const startedAtMs = performance.now();
    const sample = await intents.run(durationMs);
    while ((await arrived(sink)) - before < sample.count) await delay(20);
    return { ...sample, perSecond: (sample.count / (performance.now() - startedAtMs)) * 1_000 };
  };
  return {
    ours: { ...intents, unit: "deliveries/s", run },
    raw: rawContender(bench, platform, "driver: claim and deliver", "deliver", ["notify", "deliveries"]),
  };
}

async function arrived(sinkUrl: string): Promise<number> {
  const totals = (await (await fetch(`${sinkUrl}/counts`)).json()) as Record<string, number>;
  return Object.values(totals).reduce((sum, count) => sum + count, 0);
}

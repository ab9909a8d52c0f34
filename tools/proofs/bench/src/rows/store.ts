import { setTimeout as delay } from "node:timers/promises";
import type { HttpLoad, HttpSample } from "../load/http-load.ts";
import type { LoadSample } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { type Bench, type Contender, type Row, ratioCheck } from "../row.ts";
import { eventBody, httpLoad } from "./contenders.ts";
import { arrivedCount, prepareDeliveries } from "./deliveries.ts";

const inFlight = 64;
const goal = 1.1;

/**
 * Measures each acknowledged write of the platform over HTTP, compared with the bare driver that does the same writes
 * on the same server.
 */
export const storeRow: Row = {
  id: "STORE",
  title: `Durable writes through the platform beside the raw driver, ${inFlight} in flight`,
  isOnRequest: true,
  run: async (bench) => {
    const platform = await bench.platform();
    const pairs = [
      await posted(bench, platform, "publish", "/domain-events", eventBody, ["events", "domain_events"]),
      await posted(bench, platform, "audit", "/project-audits", auditBody, ["events", "project_audits"]),
      await posted(bench, platform, "upload grant", "/file-objects/upload-grants", grantBody, [
        "files",
        "file_objects",
      ]),
      await impressions(bench, platform),
      await deliveries(bench, platform),
    ];
    const limit = "driver: publish, insertMany of 16";
    const measured = await bench.measure([
      ...pairs.flatMap(({ ours, raw }) => [ours, raw]),
      driver(bench, platform, limit, "insertMany", ["events", "domain_events"]),
    ]);
    return {
      measured,
      checks: [
        ...pairs.map(({ ours, raw }) => ratioCheck(measured, [ours.name, raw.name], { atLeast: goal })),
        ratioCheck(measured, [pairs[0]?.ours.name ?? "", limit]),
      ],
      notes: [
        "The driver copies documents the platform stored into a collection with the same indexes, one insertOne each; for a delivery it inserts, claims and settles.",
      ],
    };
  },
};

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

function driver(
  bench: Bench,
  { stack }: Platform,
  name: string,
  what: "insert" | "insertMany" | "deliver",
  [service, collection]: Source,
): Contender {
  const load = { uri: stack.mongodbUri, database: stack.databaseOf(service), collection, what, inFlight };
  const unit = what === "deliver" ? "deliveries/s" : "inserts/s";
  const run = (durationMs: number) => bench.generator.run("rawWrites", { ...load, durationMs });
  return { name, role: "baseline", unit, run };
}

/** Returns the number of acknowledged writes, without rejected ones. */
async function acknowledged(bench: Bench, load: HttpLoad): Promise<HttpSample> {
  const sample = await bench.generator.run("http", load);
  return { ...sample, perSecond: sample.perSecond * (sample.good / Math.max(1, sample.count)) };
}

async function posted(
  bench: Bench,
  platform: Platform,
  name: string,
  path: string,
  body: string,
  source: Source,
): Promise<Pair> {
  const { port, credential } = platform;
  // This creates the document that the driver copies.
  await platform.request("POST", path, JSON.parse(body));
  const load = httpLoad({ port, path: `/api/v1${path}`, credential, body, hasKey: true });
  const run = (durationMs: number) => acknowledged(bench, { ...load, durationMs });
  return {
    ours: { name: `platform: ${name}`, role: "ours", run },
    raw: driver(bench, platform, `driver: ${name}`, "insert", source),
  };
}

/** Tokens are signed before the measurement, because more than one gateway records impressions. */
const tokensPerMs = 4;

async function impressions(bench: Bench, platform: Platform): Promise<Pair> {
  const { ctl, port } = platform;
  const { id } = await ctl<{ id: string }>(
    ...["campaigns", "create", "--name", "bench", "--currency", "JPY", "--cpm-minor", "250"],
    ...["--budget-minor", "1000000000", "--destination-url", "https://advertiser.example/"],
  );
  const run = async (durationMs: number): Promise<LoadSample> => {
    const count = `${Math.min(100_000, Math.ceil(tokensPerMs * durationMs))}`;
    const decide = ["ads", "decide", "--campaign", id, "--expires-in", "86400", "--count", count];
    const bodies = (await ctl<{ tokens: string[] }>(...decide)).tokens.map((token) =>
      JSON.stringify({ token, visible_ratio_basis_points: 10_000, duration_milliseconds: 2_000 }),
    );
    const load = httpLoad({ port, path: "/api/v1/advertising/viewable-impressions" });
    return acknowledged(bench, { ...load, bodies, durationMs });
  };
  return {
    ours: { name: "platform: impression", role: "ours", run },
    raw: driver(bench, platform, "driver: impression", "insert", ["ads", "impressions"]),
  };
}

/**
 * Measures intents over HTTP, which the worker claims and emails to the sink. The measurement ends when the last email has arrived.
 */
async function deliveries(bench: Bench, platform: Platform): Promise<Pair> {
  const { load } = await prepareDeliveries(platform, "email");
  const sink = platform.stack.settings.SINK_URL ?? "";
  const run = async (durationMs: number): Promise<LoadSample> => {
    const before = await arrivedCount(sink);
    const startedAtMs = performance.now();
    const sample = await bench.generator.run("http", { ...load, durationMs });
    while ((await arrivedCount(sink)) - before < sample.good) await delay(20);
    return { ...sample, perSecond: (sample.good / (performance.now() - startedAtMs)) * 1_000 };
  };
  return {
    ours: { name: "platform: claim and deliver", role: "ours", unit: "deliveries/s", run },
    raw: driver(bench, platform, "driver: claim and deliver", "deliver", ["notify", "deliveries"]),
  };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import type { ReceivedSpan } from "@platform/test-kit/trace-receiver";
import { MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { repositoryRoot } from "../src/stack.ts";
import { exportedNames, opsQueries, readsOf } from "./ops-queries.ts";
import { checkOutPreviousVersion } from "./previous-version.ts";
import { type ReplicatedStack, startReplicatedStack } from "./replicated-stack.ts";
import type { SteadyLoad } from "./steady-load.ts";

/** Series of Prometheus itself and of kube-state-metrics, and labels that these series have or that Prometheus adds when it scrapes a process. */
const scraped = {
  metrics: [
    "up",
    "kube_cronjob_status_last_successful_time",
    "kube_cronjob_created",
    "kube_deployment_created",
    "kube_deployment_status_replicas_available",
    "kube_job_failed",
  ],
  labels: [
    ...["job", "namespace", "pod", "app", "component", "le"],
    ...["cronjob", "deployment", "job_name", "condition"],
  ],
};

let platform: ReplicatedStack;
let load: SteadyLoad;
beforeAll(async () => {
  platform = await startReplicatedStack();
}, 180_000);
afterAll(() => platform?.close(), 120_000);
beforeEach(async () => {
  load = await platform.startLoad();
  await serveOn();
});
afterEach(() => load.stop());

/** Waits until the load has continued for a while, so that the changed process has served requests. */
async function serveOn(): Promise<void> {
  const before = load.requests();
  await eventually(() => load.requests() > before + 50, { what: "the load goes on" });
}

test("exports every metric and label that the alerts and the dashboards read", async () => {
  const pages = await Promise.all(
    platform.stack.probes().map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
  );
  const metrics = new Set([...scraped.metrics, ...withNats, ...pages.flatMap(exportedNames)]);
  const labels = new Set([
    ...scraped.labels,
    ...pages.flatMap((page) => [...page.matchAll(/[{,]([a-z_]\w*)="/g)].map(([, name]) => name)),
  ]);
  const unknown = opsQueries().flatMap(({ where, expr }) => {
    const reads = readsOf(expr);
    return [
      ...reads.metrics.filter((name) => !metrics.has(name)).map((name) => `${where}: nothing exports ${name}`),
      ...reads.labels
        .filter((name) => !labels.has(name) && !declaredLabels.includes(name))
        .map((name) => `${where}: nothing has a label ${name}`),
    ];
  });
  expect(unknown).toEqual([]);
});

/** Metrics that events-svc exports only if it relays events to NATS, which this platform does not. */
const withNats = ["platform_events_oldest_unrelayed_seconds"];

/** Labels of counters that have no series until the counted event has happened. */
const declaredLabels = [
  "sweep",
  "queue",
  "reason",
  "resource",
  "result",
  "outcome",
  "to",
  "status",
  "channel",
  "provider_status",
  "kind",
  "percent",
];

test("documents a runbook section for every alert", () => {
  const text = readFileSync(join(repositoryRoot, "docs/operations.md"), "utf8");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(
    ([, title = ""]) => `https://docs.platform.example/operations.md#${title.toLowerCase()}`,
  );
  const alerts = opsQueries().filter(({ where }) => where.startsWith("alert "));
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter(({ runbook }) => !headings.includes(runbook ?? "")).map(({ where }) => where)).toEqual([]);
});

test("traces a notification from the gateway through gRPC, MongoDB and the worker to the provider", async () => {
  const path = await eventually(() => pathToProvider(platform.traces.spans()), {
    timeoutMs: 60_000,
    what: "a whole trace",
  });
  const services = path.map(({ service }) => service.replace(/-2$/, ""));
  expect([...new Set(services)]).toEqual(["gateway", "notify-svc", "notify-svc-worker"]);
  const { traceId } = path[0] as ReceivedSpan;
  const inTrace = platform.traces.spans().filter((span) => span.traceId === traceId);
  expect(
    inTrace.some(({ name, service }) => service.startsWith("notify-svc") && name === "insert notify.deliveries"),
  ).toBe(true);
});

/** Returns the spans of a trace from its root to a provider call, or null until one trace is complete. */
function pathToProvider(spans: readonly ReceivedSpan[]): ReceivedSpan[] | null {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const provider of spans.filter(({ name }) => name === "provider email")) {
    const path = [provider];
    for (let up = byId.get(provider.parentSpanId); up !== undefined; up = byId.get(up.parentSpanId)) path.unshift(up);
    if (path[0]?.parentSpanId === "" && path[0].service.startsWith("gateway")) return path;
  }
  return null;
}

test("fails no request and loses no acknowledged work while the processes restart one by one under load", async () => {
  for (const name of platform.processes) {
    await platform.stack.roll(name);
    await serveOn();
  }
  await load.stop();
  expect(load.failures).toEqual([]);
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  try {
    const events = mongo.db(platform.stack.databaseOf("events")).collection<{ _id: string }>("domain_events");
    expect(await events.countDocuments({ _id: { $in: [...load.eventIds] } })).toBe(load.eventIds.length);
    const deliveries = mongo
      .db(platform.stack.databaseOf("notify"))
      .collection<{ _id: string; status: string }>("deliveries");
    const ids = { $in: [...load.deliveryIds] };
    await eventually(
      async () => (await deliveries.countDocuments({ _id: ids, status: "sent" })) === load.deliveryIds.length,
      { timeoutMs: 60_000, everyMs: 200, what: "every acknowledged notification is delivered" },
    );
  } finally {
    await mongo.close();
  }
}, 600_000);

test("serves new gateways by an older identity-svc, and older gateways by a new one, without a failed request", async () => {
  const previous = await checkOutPreviousVersion();
  try {
    const roll = async (names: readonly string[], root?: string): Promise<void> => {
      for (const name of names) await platform.stack.roll(name, root);
      await serveOn();
    };
    await roll(["identity-svc", "identity-svc-2"], previous.root);
    await roll(["gateway", "gateway-2"], previous.root);
    await roll(["identity-svc", "identity-svc-2"]);
    await roll(["gateway", "gateway-2"]);
    await load.stop();
    expect(load.failures).toEqual([]);
  } finally {
    await previous.remove();
  }
}, 600_000);

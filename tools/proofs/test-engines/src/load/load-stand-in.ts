import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { type Stack, startStack } from "@platform/stack/stack";
import { createAsk } from "@platform/torture/ask";
import type { Domain, DomainKind, Verdict, World } from "@platform/torture/domain";
import { audits } from "@platform/torture/domains/audits";
import { deliveries } from "@platform/torture/domains/deliveries";
import { eventsWith } from "@platform/torture/domains/events";
import { uploads } from "@platform/torture/domains/uploads";
import { startLoad } from "@platform/torture/load";
import { type LoadClient, type LoadedPlatform, prepareClient } from "@platform/torture/platform";
import { MongoClient } from "mongodb";
import { Agent } from "undici";
import { countWarnings } from "./count-warnings.ts";
import { readFailures } from "./failed-tries.ts";
import type { Findings, StandIn, StandInKind } from "./stand-in.ts";
import { startPrometheus } from "./start-prometheus.ts";
import { watchPauses } from "./watch-pauses.ts";

export type LoadOutcome = {
  readonly name: string;
  /**
   * Seconds until requests succeed: from the start of the misbehaviour, or from its end if no client can work around
   * it.
   */
  readonly recoverySeconds: number;
  /** Seconds at which attempts failed again although the process was responding. */
  readonly laterSeconds: readonly number[];
  /** Seconds until background work continues; null if the stand-in cannot observe it. */
  readonly workSeconds: number | null;
  readonly acknowledged: number;
  readonly failedTries: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly refused: readonly string[];
  readonly remarks: readonly string[];
  readonly down: readonly string[];
  readonly alerts: readonly string[];
};

/**
 * The usual load: events and notifications with idempotency keys, audits that spend a quota, and uploads with their
 * bytes.
 */
const usual: readonly (readonly [DomainKind, perSecond: number])[] = [
  [eventsWith("events", 40, (key) => ({ key })), 40],
  [deliveries, 10],
  [audits, 5],
  [uploads, 3],
];
const clientCount = 3;
const calmMs = 5_000;
/** Longest wait for the last responses after the last request was sent. */
const finishMsMax = 120_000;

/** Puts a platform under load while one of its dependencies is replaced by a stand-in. */
export async function loadStandIn(
  kind: StandInKind,
  seconds: number,
  say: (text: string) => void,
): Promise<LoadOutcome> {
  const failedAtMs: number[] = [];
  const tries: Record<string, number> = {};
  const onFailure = (why: string): void => {
    failedAtMs.push(performance.now());
    tries[why] = (tries[why] ?? 0) + 1;
  };
  const warnings = countWarnings();
  await using resources = new AsyncDisposableStack();
  const standIn = await kind.start({ onFailure });
  resources.defer(() => standIn.close());
  const directory = mkdtempSync(join(tmpdir(), "engines-load-"));
  resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    processes: "one",
    env: { LOG_LEVEL: "warn", ...standIn.env },
    onLine: (_name, line) => warnings.add(line),
    onUnexpectedExit: (name, how) => onFailure(`${name} ${how}`),
  });
  resources.defer(() => stack.stop());
  const prometheus = await startPrometheus(stack);
  resources.defer(() => prometheus.close());
  const agent = new Agent({ connections: 64, headersTimeout: 20_000, bodyTimeout: 20_000 });
  resources.defer(() => agent.destroy());
  const mongo = await MongoClient.connect(stack.mongodbUri);
  resources.defer(() => mongo.close());

  const world = await createWorld(stack, agent, onFailure);
  const domains = await createDomains(world, standIn);
  resources.defer(() => {
    for (const { domain } of domains) domain.close?.();
  });
  const { pauses, stop: stopWatch } = watchPauses(`http://127.0.0.1:${stack.ports.gatewayInternal}/livez`);
  resources.defer(stopWatch);
  const load = startLoad(domains, world.ask);
  await delay(calmMs);
  failedAtMs.length = 0;
  const faultAtMs = performance.now();
  let fromMs = faultAtMs;
  await standIn.misbehave();
  await delay(Math.max(0, faultAtMs + seconds * 1_000 - performance.now()));
  if (standIn.recover !== undefined) {
    fromMs = performance.now();
    await standIn.recover();
    // The load continues for a while after the misbehaviour has ended.
    await delay(calmMs * 3);
  }
  await load.finish(finishMsMax).catch((error: Error) => {
    throw new Error(`${error.message}; tries that failed: ${JSON.stringify(tries)}`);
  });
  const seen = await prometheus.seenSince(faultAtMs);
  const verdicts: Verdict[] = [];
  for (const { domain } of domains)
    verdicts.push(await domain.reconcile((service) => mongo.db(stack.databaseOf(service)), []));
  const found = await findings(standIn, world, mongo, stack);
  say(
    `tries that failed: ${JSON.stringify(tries)}; ${[...verdicts, found].flatMap(({ remarks }) => remarks).join("; ")}`,
  );
  say(`the platform's log: ${warnings.most().join("; ")}`);
  const pausedMs = pauses.reduce((sum, { fromMs: since, toMs }) => sum + toMs - since, 0);
  say(`the process did not respond for ${(pausedMs / 1_000).toFixed(1)} s in ${pauses.length} pauses`);
  return {
    name: kind.name,
    ...readFailures(failedAtMs, fromMs, pauses),
    workSeconds: found.recoverySeconds ?? null,
    acknowledged: verdicts.reduce((sum, verdict) => sum + verdict.acknowledged, 0),
    failedTries: failedAtMs.length,
    lost: [...verdicts.flatMap(({ lost }) => lost), ...found.lost],
    doubled: [...verdicts.flatMap(({ doubled }) => doubled), ...found.doubled],
    refused: verdicts.flatMap(({ refused }) => refused),
    remarks: [...verdicts, found].flatMap(({ remarks }) => remarks),
    ...seen,
  };
}

async function createWorld(stack: Stack, agent: Agent, onFailure: (why: string) => void): Promise<World> {
  const platform: LoadedPlatform = {
    stack,
    gateways: [stack.baseUrl],
    smtpUrl: stack.settings.SMTP_URL ?? "",
    sinkUrl: stack.settings.SINK_URL ?? "",
    ctl: (args) => runCtl(stack.directory, args),
  };
  const clients: LoadClient[] = [];
  for (let index = 0; index < clientCount; index += 1) clients.push(await prepareClient(platform, index));
  let next = 0;
  return {
    platform,
    clients,
    ask: createAsk(agent, platform.gateways, onFailure),
    nextClient: () => {
      const client = clients[next++ % clients.length];
      if (client === undefined) throw new Error("there are no clients");
      return client;
    },
  };
}

async function createDomains(world: World, standIn: StandIn) {
  const own = (standIn.domains ?? []).map((kind) => [kind, kind.perSecond] as const);
  const domains: { name: string; domain: Domain; perSecond: number }[] = [];
  for (const [kind, perSecond] of [...usual, ...own])
    domains.push({ name: kind.name, domain: await kind.create(world), perSecond });
  return domains;
}

/**
 * Returns the stand-in's observations, and whether the units that the quota of audits has spent equal the number of stored audits.
 */
async function findings(standIn: StandIn, world: World, mongo: MongoClient, stack: Stack): Promise<Findings> {
  const stored = (service: string, collection: string) => mongo.db(stack.databaseOf(service)).collection(collection);
  const usedOf = async (clientId: string, resource: string): Promise<number> => {
    const rows = (await world.platform.ctl(["quotas", "show", "--client", clientId])) as QuotaRow[];
    return rows.find((row) => row.resource === resource)?.used ?? 0;
  };
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const { id } of world.clients) {
    const used = await usedOf(id, "audit_retention");
    const count = await stored("events", "project_audits").countDocuments({ project_client_id: id });
    const units = `audit_retention of ${id}: ${used} units for ${count} audits`;
    if (used < count) lost.push(units);
    if (used > count) doubled.push(units);
  }
  const found = await standIn.findings?.({
    events: new Map(
      await stored("events", "domain_events")
        .find({}, { projection: { published_at: 1 } })
        .map(({ _id, published_at: at }) => [String(_id), at as Date] as const)
        .toArray(),
    ),
    storageBytes: new Map(
      await Promise.all(
        world.clients.map(async ({ id }) => {
          const files = await stored("files", "file_objects")
            .find({ project_client_id: id, state: "available" }, { projection: { size_bytes: 1 } })
            .toArray();
          return [id, files.reduce((sum, file) => sum + Number(file.size_bytes), 0)] as const;
        }),
      ),
    ),
    usedOf,
  });
  if (found === undefined) return { lost, doubled, remarks: [] };
  return { ...found, lost: [...lost, ...found.lost], doubled: [...doubled, ...found.doubled] };
}

type QuotaRow = { readonly resource: string; readonly used: number };

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { Pool } from "undici";
import { importFrom } from "../checkout/version.ts";
import { type LoadSample, rateOf, runClosedLoop } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { pin, startServer } from "../processes.ts";
import { type Bench, beforeChecks, type Check, type Contender, cpuChecks, type Row, ratioCheck } from "../row.ts";
import { lostOrDoubled, msUntilRecorded } from "./backlog.ts";

/** Number of calls in a backlog. */
export const calls = Number(process.env.BENCH_CALLS ?? 10_000);
const endpoints = 100;
/** Number of concurrent calls of the bare loop and of a peer. */
export const concurrency = 64;
const ours = "scheduled operations, signed and recorded";
const loop = "bare loop over undici";
export const unit = "calls/s";
const worker = "events-svc-worker";
/** Maximum time until the operator actions of a backlog are in their chain. */
const chainMsMax = 120_000;
/** Longer than the lease of a run, which is 30 s. */
const leaseMs = 32_000;

/** Measures one worker process that executes a backlog of signed calls, compared with a loop that only sends calls. */
export const callsRow: Row = {
  id: "B7",
  title: `${calls.toLocaleString("en")} signed calls to a local sink over ${endpoints} endpoints, by one worker`,
  run: async (bench) => {
    const backlogs: Executed[] = [];
    for (const version of bench.versions)
      backlogs.push(await startBacklog(bench, await bench.platform(version), version.prefix + ours));
    const base = backlogs[0]?.base ?? "";
    const measured = await bench.measure([
      ...backlogs.map(({ contender }) => contender),
      { name: loop, role: "baseline", unit, run: (durationMs) => callOnly(base, durationMs) },
    ]);
    return {
      measured,
      checks: [
        ...(await Promise.all(backlogs.map(({ check }) => check()))),
        ratioCheck(measured, [ours, loop], { atLeast: 0.3 }),
        ...beforeChecks(bench, measured, [ours], {}),
        ...cpuChecks(measured),
      ],
      notes: [
        "The worker is paused while the backlog is made and until the operator actions that made it are in their chain, so that it is measured and not what fills it. The time ends when the last outcome is in the store. Calls are counted again after the lease of a run. CPU seconds of a run include those of making its backlog.",
      ],
    };
  },
};

type Executed = { readonly base: string; readonly contender: Contender; check(): Promise<Check> };

/**
 * Registers operations whose calls go to a sink that counts them by id.
 * @param name name of the contender that executes the backlogs
 */
export async function startBacklog(bench: Bench, platform: Platform, name: string): Promise<Executed> {
  const { stack, version } = platform;
  const sink = await startServer("../peers/hook-sink.mjs", { place: "generator" });
  bench.defer(sink.stop);
  const base = `http://127.0.0.1:${sink.port}`;
  const arrived = async () => (await (await fetch(`${base}/count`)).json()) as { calls: number; distinct: number };
  // This row measures the worker, so the worker runs on the core that the gateway uses in other rows.
  pin(stack.pid(worker), "measured");
  bench.defer(async () => pin(stack.pid(worker), "stores"));
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const operations: string[] = [];
  for (let index = 0; index < endpoints; index += 1) {
    const operation = { name: `bench.call${index}`, url: `${base}/hook/${index}`, secret };
    operations.push((await platform.request<{ id: string }>("POST", "/scheduled-operations", operation)).id);
  }
  const invoker = await connectInvoker(platform, operations);
  bench.defer(async () => invoker.close());
  const runs = await connectRuns(platform, operations);
  bench.defer(runs.close);
  let expected = 0;
  const drain = async (limit: number): Promise<LoadSample> => {
    await stack.kill(worker, "SIGSTOP");
    try {
      const filled = await runClosedLoop({ concurrency, durationMs: 600_000, limit, once: invoker.invoke });
      if (Object.keys(filled.refusals).length > 0) throw new Error(JSON.stringify(filled.refusals));
      // Each invocation is an operator action, which events-svc then appends to the chain of these actions.
      await runs.untilChained();
    } finally {
      await stack.kill(worker, "SIGCONT");
    }
    expected += limit;
    const ms = await msUntilRecorded({ hasArrived: () => hasArrived(base, expected), isRecorded: runs.areRecorded });
    return rateOf(limit, ms);
  };
  const run = (): Promise<LoadSample> => drain(expected === 0 ? Math.ceil(calls / 4) : calls);
  const check = async (): Promise<Check> => {
    // A worker that lost the lease of a run would repeat its call after the lease has expired.
    await delay(leaseMs);
    const { text, value, met } = lostOrDoubled(expected, { ...(await arrived()), succeeded: await runs.succeeded() });
    return { text: version.prefix + text, value, met };
  };
  return { base, contender: { name, role: "ours", unit, run }, check };
}

/** Waits for a second at most until a sink has received this many distinct calls, and returns whether it has. */
export async function hasArrived(sinkUrl: string, distinct: number): Promise<boolean> {
  return (await (await fetch(`${sinkUrl}/arrived?distinct=${distinct}`)).json()) as boolean;
}

/** Reads from the store what the platform has recorded about the runs of operations. */
async function connectRuns({ stack }: Platform, operations: readonly string[]) {
  const client = await MongoClient.connect(stack.mongodbUri, { maxPoolSize: 1 });
  const database = client.db(stack.databaseOf("events"));
  const [runs, actions] = [database.collection("scheduled_runs"), database.collection("operator_actions")];
  const ofOperations = { operation_id: { $in: [...operations] } };
  return {
    /** A run has this field, which is indexed, until it has ended. */
    areRecorded: async () => (await runs.findOne({ claimable_at: { $exists: true }, ...ofOperations })) === null,
    /** Waits until all operator actions are in their chain. */
    untilChained: async () => {
      const unchained = { unchained_since: { $gt: new Date(0) } };
      for (const endMs = performance.now() + chainMsMax; (await actions.findOne(unchained)) !== null; await delay(20)) {
        if (performance.now() > endMs) throw new Error("the operator actions were not chained in two minutes");
      }
    },
    succeeded: () => runs.countDocuments({ state: "succeeded", ...ofOperations }),
    close: () => client.close(),
  };
}

/** Invokes operations round robin, as an operator would. */
async function connectInvoker({ stack, version }: Platform, operations: readonly string[]) {
  type Connect = typeof import("@platform/kit/rpc/client");
  type Admin = typeof import("@platform/proto/events/v1/events_admin");
  const { connectGrpc } = await importFrom<Connect>(
    version.root,
    "@platform/kit/rpc/client",
    "@platform/service-kit/grpc/connect",
  );
  const admin = await importFrom<Admin>(version.root, "@platform/proto/events/v1/events_admin");
  const metadata = { authorization: `Bearer ${stack.settings.OPERATOR_TOKEN}` };
  const connection = connectGrpc({ address: stack.settings.EVENTS_GRPC ?? "", tls: null, metadata });
  const { invokeScheduledOperation } = connection.service(admin.ScheduledOperationAdminService);
  const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
  const invoke = (index: number): Promise<unknown> =>
    invokeScheduledOperation({ operationId: operations[index % operations.length] ?? "" }, { context });
  return { invoke, close: () => connection.close() };
}

async function callOnly(base: string, durationMs: number): Promise<LoadSample> {
  const pool = new Pool(base, { connections: concurrency });
  const body = JSON.stringify({ operation_id: randomUUID(), name: "bench", attempt: 1 });
  const once = async (): Promise<void> => {
    await (await pool.request({ method: "POST", path: "/hook", body })).body.dump();
  };
  const sample = await runClosedLoop({ concurrency, durationMs, once });
  await pool.close();
  return sample;
}

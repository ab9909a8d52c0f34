import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { Pool } from "undici";
import { createLatencies, type LoadSample, runClosedLoop } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { startServer } from "../processes.ts";
import { type Contender, named, type Row, ratioCheck, spread } from "../row.ts";
import { post } from "./file-objects.ts";

/** Calls of one run; `BENCH_CALLS=100000` and `BENCH_ENDPOINTS=1000` for the whole of the target. */
const calls = Number(process.env.BENCH_CALLS ?? 2_000);
const endpoints = Number(process.env.BENCH_ENDPOINTS ?? 200);
const ours = "scheduled operations, signed and recorded";
const loop = "bare undici loop";
const bullmq = "BullMQ drain, no call made";
const unit = "calls/s";
const concurrency = 64;

/** What one worker gets called of a backlog, beside a loop that only calls and a queue that only drains. */
export const callsRow: Row = {
  id: "B7",
  title: `${calls} signed calls to a local sink over ${endpoints} endpoints`,
  run: async (bench) => {
    const platform = await bench.platform();
    const sink = await startServer("../peers/hook-sink.mjs", { place: "generator" });
    bench.defer(sink.stop);
    const base = `http://127.0.0.1:${sink.port}`;
    const operations = await registerOperations(platform, base);
    let doubled = 0;
    let lost = 0;
    const contenders: Contender[] = [
      {
        name: ours,
        role: "ours",
        unit,
        run: async () => {
          await fetch(`${base}/count`, { method: "DELETE" });
          const sample = await drainBacklog(platform, operations, base);
          const counted = await countOf(base);
          doubled += counted.calls - counted.distinct;
          lost += calls - counted.distinct;
          return sample;
        },
      },
      {
        name: loop,
        role: "baseline",
        unit,
        run: async (durationMs) => {
          const pool = new Pool(base, { connections: concurrency });
          const body = JSON.stringify({ operation_id: randomUUID(), name: "bench", attempt: 1 });
          const once = async (): Promise<void> => {
            const { body: reply } = await pool.request({ method: "POST", path: "/hook", body });
            await reply.dump();
          };
          const sample = await runClosedLoop({ concurrency, durationMs, once });
          await pool.close();
          return sample;
        },
      },
      { name: bullmq, role: "peer", unit, run: () => drainBullmq(platform) },
    ];
    const measured = await bench.measure(contenders);
    const rate = spread(named(measured, ours), "perSecond").median;
    return {
      measured,
      checks: [
        { text: "≥ 4,500 calls/s", value: `${Math.round(rate)} calls/s`, met: rate >= 4_500 },
        { text: "none lost", value: `${lost}`, met: lost === 0 },
        { text: "none doubled", value: `${doubled}`, met: doubled === 0 },
        ratioCheck(measured, [ours, loop], null),
        ratioCheck(measured, [ours, bullmq], null),
      ],
      notes: ["The worker is paused while the backlog is made, so that it is measured and not what fills it."],
    };
  },
};

async function registerOperations(platform: Platform, base: string): Promise<string[]> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const ids: string[] = [];
  for (let at = 0; at < endpoints; at += 20) {
    const batch = Array.from({ length: Math.min(20, endpoints - at) }, (_, index) =>
      post<{ id: string }>(platform, "/scheduled-operations", {
        name: `bench.call${at + index}`,
        url: `${base}/hook/${at + index}`,
        secret,
      }),
    );
    ids.push(...(await Promise.all(batch)).map(({ id }) => id));
  }
  return ids;
}

const worker = "events-svc-worker";

/** Fills the backlog while the worker is paused, then lets it go and waits until every call has arrived. */
async function drainBacklog({ stack }: Platform, operations: readonly string[], base: string): Promise<LoadSample> {
  const connection = connectGrpc({
    address: stack.settings.EVENTS_GRPC ?? "",
    tls: null,
    metadata: { authorization: `Bearer ${stack.settings.OPERATOR_TOKEN}` },
  });
  const admin = connection.service(ScheduledOperationAdminService);
  await stack.kill(worker, "SIGSTOP");
  let startedAtMs = 0;
  try {
    const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
    const once = (index: number) =>
      admin.invokeScheduledOperation({ operationId: operations[index % operations.length] ?? "" }, { context });
    const filled = await runClosedLoop({ concurrency, durationMs: 120_000, limit: calls, once });
    if (Object.keys(filled.refusals).length > 0) throw new Error(JSON.stringify(filled.refusals));
  } finally {
    startedAtMs = performance.now();
    await stack.kill(worker, "SIGCONT");
    connection.close();
  }
  for (const untilMs = startedAtMs + 120_000; (await countOf(base)).distinct < calls; await delay(20)) {
    if (performance.now() > untilMs) throw new Error(`only ${(await countOf(base)).distinct} of ${calls} arrived`);
  }
  return rateOf(calls, performance.now() - startedAtMs);
}

async function countOf(base: string): Promise<{ calls: number; distinct: number }> {
  return (await (await fetch(`${base}/count`)).json()) as { calls: number; distinct: number };
}

async function drainBullmq({ stack }: Platform): Promise<LoadSample> {
  const script = fileURLToPath(new URL("../../peers/bullmq-drain.mjs", import.meta.url));
  const env = { ...process.env, REDIS_URL: stack.redisUrl, COUNT: `${calls}` };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  const { count, ms } = JSON.parse(stdout) as { count: number; ms: number };
  return rateOf(count, ms);
}

/** A sample of work that is only counted as a whole. */
function rateOf(count: number, durationMs: number): LoadSample {
  const latencies = createLatencies();
  latencies.add(durationMs);
  return { ...latencies.sample(durationMs, {}), count, perSecond: count / (durationMs / 1_000) };
}

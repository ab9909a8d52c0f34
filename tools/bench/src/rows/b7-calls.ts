import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pool } from "undici";
import { type LoadSample, runClosedLoop } from "../load/sample.ts";
import { type Platform, secondWorker } from "../platform.ts";
import { pin, startServer } from "../processes.ts";
import { type Check, type Contender, named, type Row, ratioCheck, spread } from "../row.ts";
import { arrivedAt, callAtRate, drainBacklog, rateOf, registerOperations, worker } from "./call-backlog.ts";

/** Calls of one run. `BENCH_CALLS=5000 BENCH_ENDPOINTS=200` for a quick look. */
const calls = Number(process.env.BENCH_CALLS ?? 100_000);
const endpoints = Number(process.env.BENCH_ENDPOINTS ?? 1_000);
const ours = "scheduled operations, signed and recorded, one worker";
const two = "the same by two workers";
const steady = "one worker, started at a steady rate";
const loop = "bare undici loop";
const bullmq = "BullMQ drain, no call made";
const unit = "calls/s";
const concurrency = 64;
/**
 * Below what one worker can do: half of what it has just drained, and below what can be started by operators' calls (about 1,400 a second
 * take all of one events-svc process), whose wait is else most of what is measured.
 */
const steadyPerSecondMax = 1_000;

/** What one worker process and two get called of a backlog, beside a loop that only calls and a queue that only drains. */
export const callsRow: Row = {
  id: "B7",
  title: `${calls.toLocaleString("en")} signed calls to a local sink over ${endpoints.toLocaleString("en")} endpoints`,
  run: async (bench) => {
    const platform = await bench.platform();
    const sink = await startServer("../peers/hook-sink.mjs", { place: "generator" });
    bench.defer(sink.stop);
    // The worker is what is measured here, and the gateway has nothing to do.
    pin(platform.stack.pid(worker), "measured");
    bench.defer(async () => pin(platform.stack.pid(worker), "stores"));
    const base = `http://127.0.0.1:${sink.port}`;
    const operations = await registerOperations(platform, base, endpoints);
    const p95s: number[] = [];
    let expected = 0;
    let drained = 0;
    const warmedUp = new Set<string>();
    const drainCalls = (amount: number, workers: readonly string[]): Promise<LoadSample> => {
      expected += amount;
      return drainBacklog(platform, { operations, base, calls: amount, workers });
    };
    const drain = (contender: string, workers: readonly string[]): Promise<LoadSample> => {
      const isFirst = !warmedUp.has(contender);
      warmedUp.add(contender);
      return drainCalls(isFirst ? Math.ceil(calls / 10) : calls, workers);
    };
    const drainByTwo = async (): Promise<LoadSample> => {
      await platform.stack.start(secondWorker);
      pin(platform.stack.pid(secondWorker), "stores");
      try {
        // What was just started is compiled while it is first used.
        await drainCalls(Math.ceil(calls / 10), [worker, secondWorker]);
        return await drain(two, [worker, secondWorker]);
      } finally {
        await platform.stack.kill(secondWorker, "SIGTERM");
      }
    };
    const contenders: Contender[] = [
      {
        name: ours,
        role: "ours",
        unit,
        run: async () => {
          const sample = await drain(ours, [worker]);
          drained = sample.perSecond;
          return sample;
        },
      },
      { name: two, role: "ours", unit, run: drainByTwo },
      {
        name: steady,
        role: "ours",
        unit,
        run: async (durationMs) => {
          const perSecond = Math.min(steadyPerSecondMax, drained / 2);
          const { sample, lateness } = await callAtRate(platform, { operations, base, perSecond, durationMs });
          expected += sample.count;
          p95s.push(lateness.p95Ms);
          return sample;
        },
      },
      { name: loop, role: "baseline", unit, run: (durationMs) => callOnly(base, durationMs) },
      { name: bullmq, role: "peer", unit, run: () => drainBullmq(platform) },
    ];
    const measured = await bench.measure(contenders);
    const enoughCheck = (text: string, name: string): Check => {
      const rate = spread(named(measured, name), "perSecond").median;
      return { text: `${text} ≥ 4,500 calls/s`, value: `${Math.round(rate)} calls/s`, met: rate >= 4_500 };
    };
    const p95 = p95s.slice(1).sort((a, b) => a - b)[(p95s.length - 1) >> 1] ?? Number.NaN;
    const arrived = await arrivedAt(base);
    const lost = expected - arrived.distinct;
    const doubled = arrived.calls - arrived.distinct;
    return {
      measured,
      checks: [
        enoughCheck("one worker on the machine's cores", ours),
        enoughCheck("two workers on the machine's cores", two),
        { text: "due → arrival at the steady rate, p95 ≤ 50 ms", value: `${p95.toFixed(0)} ms`, met: p95 <= 50 },
        { text: `none of ${expected} lost`, value: `${lost}`, met: lost === 0 },
        { text: "none doubled", value: `${doubled}`, met: doubled === 0 },
        ratioCheck(measured, [two, ours], null),
        ratioCheck(measured, [ours, loop], null),
        ratioCheck(measured, [ours, bullmq], null),
      ],
      notes: [
        "Workers are paused while the backlog is made, so that they are measured and not what fills it; the second is started for each of its runs, and drains a tenth as many before it is measured.",
        `The steady rate is half of what was drained, at most ${steadyPerSecondMax}/s; an operator's call starts each run, and due is when that call came in.`,
      ],
    };
  },
};

async function callOnly(base: string, durationMs: number): Promise<LoadSample> {
  const pool = new Pool(base, { connections: concurrency });
  const body = JSON.stringify({ operation_id: randomUUID(), name: "bench", attempt: 1 });
  const once = async (): Promise<void> => {
    const { body: reply } = await pool.request({ method: "POST", path: "/hook", body });
    await reply.dump();
  };
  const sample = await runClosedLoop({ concurrency, durationMs, once });
  await pool.close();
  return sample;
}

async function drainBullmq({ stack }: Platform): Promise<LoadSample> {
  const script = fileURLToPath(new URL("../../peers/bullmq-drain.mjs", import.meta.url));
  const env = { ...process.env, REDIS_URL: stack.redisUrl, COUNT: `${calls}` };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  const { count, ms } = JSON.parse(stdout) as { count: number; ms: number };
  return rateOf(count, ms);
}

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestRedis } from "@platform/test-kit/redis";
import { type LoadSample, rateOf } from "../load/sample.ts";
import { startServer } from "../processes.ts";
import type { Bench } from "../row.ts";
import { calls, concurrency, hasArrived, startBacklog, unit } from "./b7-calls.ts";
import { msUntilRecorded } from "./backlog.ts";
import { behindNotes, type PeerGroup, peerChecks, startPeers } from "./peer.ts";

const ours = "calls: scheduled operations, signed and recorded";
const peerName = "BullMQ worker, signed and recorded on a Redis that flushes";

/** Measures a backlog of signed calls by one worker of the platform and by one of BullMQ. */
export async function callPeers(bench: Bench): Promise<PeerGroup> {
  const backlog = await startBacklog(bench, await bench.platform(), ours);
  const { contenders, notes } = await startPeers([
    { name: peerName, work: "same work", start: async () => ({ unit, run: await startBullmq(bench) }) },
  ]);
  const measured = await bench.measure([backlog.contender, ...contenders]);
  return {
    measured,
    checks: [...peerChecks(measured, ours), await backlog.check()],
    notes: [
      ...behindNotes(measured, ours),
      ...notes,
      `Calls: the work is to claim a due call, sign it (Standard Webhooks), send it, record its outcome durably and retry a failure with backoff. BullMQ's Redis appends every command to a file and flushes it (appendfsync always). Ours is also fair between targets and refuses private addresses. The time ends when the last outcome is recorded. Backlogs of ${calls.toLocaleString("en")}; ${concurrency} calls of BullMQ in flight.`,
    ],
  };
}

async function startBullmq(bench: Bench): Promise<() => Promise<LoadSample>> {
  const directory = await mkdtemp(join(tmpdir(), "bench-bullmq-"));
  bench.defer(() => rm(directory, { recursive: true, force: true }));
  const redis = await startTestRedis([
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--maxmemory-policy",
    "noeviction",
  ]);
  bench.defer(redis.close);
  const sink = await startServer("../peers/hook-sink.mjs", { place: "generator" });
  bench.defer(sink.stop);
  const base = `http://127.0.0.1:${sink.port}`;
  const env = { REDIS_URL: redis.url, TARGET: base };
  const queue = await startServer("../peers/bullmq-queue.mjs", { env, place: "stores" });
  bench.defer(queue.stop);
  const secret = randomBytes(32).toString("base64");
  const worker = await startServer("../peers/bullmq-worker.mjs", {
    env: { ...env, SECRET: secret, CONCURRENCY: `${concurrency}` },
  });
  bench.defer(worker.stop);
  const origin = `http://127.0.0.1:${queue.port}`;
  const post = async (path: string): Promise<void> => {
    const { ok, status } = await fetch(origin + path, { method: "POST" });
    if (!ok) throw new Error(`the queue responded ${status}`);
  };
  let expected = 0;
  return async () => {
    const count = expected === 0 ? Math.ceil(calls / 4) : calls;
    await post(`/fill?count=${count}`);
    expected += count;
    await post("/resume");
    const isRecorded = async (): Promise<boolean> => (await (await fetch(`${origin}/unfinished`)).json()) === 0;
    return rateOf(count, await msUntilRecorded({ hasArrived: () => hasArrived(base, expected), isRecorded }));
  };
}

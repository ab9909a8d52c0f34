import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import type { ProxyFault } from "./fault-proxy.ts";
import type { Platform } from "./platform.ts";
import { createBag, pick, type Random } from "./random.ts";

/** Executes one fault from beginning to end. Returns a description of it. */
export type Fault = {
  readonly name: string;
  readonly run: () => Promise<string>;
  /** The stack's process that the fault needs, if not every stack has it. */
  readonly needs?: string;
};

/** The faults of a run. */
export type CreateFaults = (platform: Platform, random: Random) => readonly Fault[];

/** Longer than any lease. */
const beyondLeaseMs = 35_000;
const libfaketime = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
];

const workers = (platform: Platform): string[] => platform.stack.names().filter((name) => name.endsWith("-worker"));
const processes = (platform: Platform): string[] => platform.stack.names().filter((name) => /svc|gateway/.test(name));

const proxyFaults = (random: Random): ProxyFault[] => [
  { kind: "latency", ms: Math.round(50 + random() * 300) },
  { kind: "reset", afterBytes: Math.round(random() * 20_000) },
  { kind: "slow_close", ms: 2_000 },
  { kind: "bandwidth", bytesPerSecond: 20_000 },
  { kind: "black_hole" },
];

/** Kills a process and starts it again after a moment. */
async function killAndStart(platform: Platform, name: string, downMs: number): Promise<void> {
  await platform.stack.kill(name, "SIGKILL");
  await delay(downMs);
  await platform.stack.start(name);
}

async function flushRedis(platform: Platform): Promise<void> {
  const redis = new Redis(platform.stack.redisUrl);
  await redis.flushall();
  redis.disconnect();
}

/** Chooses processes to kill and connections to disturb, round robin. */
const killsAtOnce = 3;
const disturbedAtOnce = 4;

/** All faults. In a long run each one affects every process and connection. */
export const createFaults: CreateFaults = (platform, random) => {
  const names = platform.stack.names();
  const nextKilled = createBag(random, processes(platform));
  const nextPaused = createBag(random, workers(platform));
  const nextMisdated = createBag(random, workers(platform));
  const nextProxy = createBag(random, platform.proxies);
  const faults: readonly Fault[] = [
    {
      name: "process killed",
      run: async () => {
        const names = Array.from({ length: killsAtOnce }, nextKilled);
        for (const name of names) await killAndStart(platform, name, random() * 3_000);
        return names.join(", ");
      },
    },
    {
      name: "worker paused past its lease",
      run: async () => {
        const name = nextPaused();
        await platform.stack.kill(name, "SIGSTOP");
        await delay(beyondLeaseMs);
        await platform.stack.kill(name, "SIGCONT");
        return name;
      },
    },
    {
      name: "Redis killed and restarted",
      needs: "redis",
      run: async () => {
        await killAndStart(platform, "redis", 500);
        return "append-only file kept";
      },
    },
    {
      name: "Redis restarted empty",
      needs: "redis",
      run: async () => {
        await platform.stack.kill("redis", "SIGKILL");
        const data = join(platform.stack.directory, "redis");
        await rm(data, { recursive: true, force: true });
        await mkdir(data, { recursive: true });
        await platform.stack.start("redis");
        return "append-only file removed";
      },
    },
    {
      name: "Redis flushed",
      run: async () => {
        await flushRedis(platform);
        return "FLUSHALL";
      },
    },
    {
      name: "Redis paused",
      needs: "redis",
      run: async () => {
        await platform.stack.kill("redis", "SIGSTOP");
        await delay(10_000);
        await platform.stack.kill("redis", "SIGCONT");
        return "10 s";
      },
    },
    {
      name: "MongoDB killed and restarted",
      needs: "mongo",
      run: async () => {
        const startedAtMs = performance.now();
        await killAndStart(platform, "mongo", random() * 2_000);
        // The embedded engine reads all its data before it responds, so the outage grows with the data.
        return `data kept, away for ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
      },
    },
    {
      name: "network fault",
      run: async () => {
        const disturbed = Array.from({ length: disturbedAtOnce }, () => ({
          proxy: nextProxy(),
          fault: pick(random, proxyFaults(random)),
        }));
        for (const { proxy, fault } of disturbed) proxy.set(fault);
        await delay(5_000);
        for (const { proxy } of disturbed) proxy.set({ kind: "none" });
        return disturbed.map(({ proxy, fault }) => `${fault.kind} from ${proxy.name}`).join(", ");
      },
    },
    {
      name: "clock an hour ahead",
      run: async () => {
        const library = libfaketime.find((path) => existsSync(path));
        if (library === undefined) throw new Error("libfaketime is missing: apt-get install faketime");
        const name = nextMisdated();
        await platform.stack.kill(name, "SIGKILL");
        await platform.stack.start(name, {
          LD_PRELOAD: library,
          FAKETIME: "+3600s",
          FAKETIME_DONT_FAKE_MONOTONIC: "1",
        });
        await delay(15_000);
        await killAndStart(platform, name, 0);
        return name;
      },
    },
  ];
  // Stores that somebody else has started are not killed.
  return faults.filter(({ needs }) => needs === undefined || names.includes(needs));
};

/** Executes one fault after another until the time has passed. Each kind occurs once before any occurs again. */
export async function runFaults(
  faults: readonly Fault[],
  random: Random,
  untilMs: number,
  say: (text: string) => void,
): Promise<Map<string, number>> {
  const done = new Map<string, number>();
  let queue: Fault[] = [];
  while (performance.now() < untilMs) {
    if (queue.length === 0) queue = [...faults].sort(() => random() - 0.5);
    const fault = queue.pop();
    if (fault === undefined) break;
    const what = await fault.run();
    done.set(fault.name, (done.get(fault.name) ?? 0) + 1);
    say(`${fault.name}: ${what}`);
    await delay(1_000 + random() * 4_000);
  }
  return done;
}

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { canPin, coreCount, pinToCores, preferToOthers } from "@platform/stack/placement";
import type { OverloadSample } from "./overload-generator.ts";
import { type Generators, startGenerators } from "./overload-generators.ts";
import type { LoadClient, Platform } from "./platform.ts";

/** What a phase of steady or excessive load gave. Rates are per second, times in milliseconds. */
export type PhaseResult = {
  readonly offered: number;
  readonly good: number;
  readonly goodP99Ms: number;
  readonly shed: number;
  readonly shedWithoutRetryAfter: number;
  readonly shedP99Ms: number;
  /** The same for each second; 0 where nothing was refused. */
  readonly shedP99BySecond: readonly number[];
  /** What is said of the whole, for the first minute of it: it must not be worse where most of what is slow at first is. */
  readonly firstMinute: { readonly good: number; readonly shedP99Ms: number };
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Goodput of each second from the beginning. */
  readonly goodBySecond: readonly number[];
  readonly unsent: number;
  /** 99th percentile of the generators' own lateness, which is in the times above. */
  readonly ownDelayP99Ms: number;
};

export type OverloadResult = {
  readonly seconds: number;
  /** Had the generators a core of their own, and the platform the others? */
  readonly isPinned: boolean;
  /** Did the gateways have a core whenever they wanted one, before the services and stores? */
  readonly isGatewayFirst: boolean;
  /** Goodput by the number of callers, each sending its next request when it has its answer. */
  readonly steps: readonly { readonly callers: number; readonly good: number }[];
  readonly peak: number;
  readonly overload: PhaseResult;
  /** Milliseconds after the overload until each gateway answered well and quickly again. */
  readonly recoveryMs: number;
  /** Resident memory of both gateways in MiB: the most in the middle third of the overload, and in its last. */
  readonly memory: { readonly middle: number; readonly last: number };
  /** Keys of this phase begin with this; so many were acknowledged. */
  readonly keyPrefix: string;
  readonly acknowledged: number;
};

const stepMs = 5_000;
const callersAtFirst = 64;
const callersMax = 1_024;
const openConnections = 4_096;

type OverloadOptions = { readonly overloadMs: number; readonly isGatewayFirst: boolean };

/**
 * Finds the most the platform gets done, with few callers and with many, then offers three times that for `overloadMs`.
 * @returns null where gateways cannot be preferred, which takes rights this process may not have
 */
export async function runOverload(
  platform: Platform,
  clients: readonly LoadClient[],
  options: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadResult | null> {
  const generators = startGenerators(platform.gateways.length);
  try {
    return await measure(platform, clients, generators, options, say);
  } finally {
    generators.stop();
  }
}

async function measure(
  platform: Platform,
  clients: readonly LoadClient[],
  generators: Generators,
  { overloadMs, isGatewayFirst }: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadResult | null> {
  const keyPrefix = `overload-${randomBytes(6).toString("hex")}`;
  const ports = platform.gateways.map((url) => Number(new URL(url).port));
  let acknowledged = 0;
  let round = 0;
  const offer = async (perSecond: number | null, connections: number, durationMs: number): Promise<PhaseResult> => {
    round += 1;
    const samples = await generators.run(
      ports.map((port, index) => ({
        port,
        credentials: clients.map(({ credential }) => credential),
        run: `${keyPrefix}-${round}-${index}`,
        connections: Math.ceil(connections / ports.length),
        perSecond: perSecond === null ? null : perSecond / ports.length,
        durationMs,
      })),
    );
    for (const { good } of samples) acknowledged += good;
    return summarize(samples, durationMs);
  };

  // Whoever asks is elsewhere in earnest: what three times the peak costs to send must not be taken from what is there to answer it.
  for (const name of platform.stack.names()) pinToCores(platform.stack.pid(name), `0-${coreCount - 2}`);
  const gateways = ["gateway", "gateway-2"].map((name) => platform.stack.pid(name));
  if (isGatewayFirst && !gateways.every(preferToOthers)) return null;
  // What was just started is compiled while it is first used.
  await offer(null, callersAtFirst, stepMs);
  const steps: { callers: number; good: number }[] = [];
  let peak = 0;
  for (let callers = callersAtFirst; callers <= callersMax; callers *= 2) {
    const { good } = await offer(null, callers, stepMs);
    steps.push({ callers, good });
    say(`${callers} callers: ${good}/s done`);
    peak = Math.max(peak, good);
  }

  const memory: number[] = [];
  const watch = setInterval(() => memory.push(gatewayMemory(platform)), 1_000);
  const [overload, recoveryMs] = await Promise.all([
    offer(peak * 3, openConnections, overloadMs),
    delay(overloadMs).then(() => recovered(platform, clients)),
  ]);
  clearInterval(watch);
  const third = Math.floor(memory.length / 3);
  return {
    seconds: Math.round(overloadMs / 1_000),
    isPinned: canPin,
    isGatewayFirst,
    steps,
    peak,
    overload,
    recoveryMs,
    memory: { middle: Math.max(0, ...memory.slice(third, 2 * third)), last: Math.max(0, ...memory.slice(2 * third)) },
    keyPrefix,
    acknowledged,
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function summarize(samples: readonly OverloadSample[], durationMs: number): PhaseResult {
  const sum = (figure: "sent" | "good" | "shed" | "shedWithoutRetryAfter" | "failed" | "unsent"): number =>
    samples.reduce((total, sample) => total + sample[figure], 0);
  const all = (figure: "goodMs" | "ownDelayMs"): number[] => samples.flatMap((sample) => sample[figure]);
  const seconds = Math.ceil(durationMs / 1_000);
  const goodBySecond = Array.from({ length: seconds }, (_, second) =>
    samples.reduce((total, sample) => total + (sample.goodBySecond[second] ?? 0), 0),
  );
  const shedBySecond = Array.from(
    { length: Math.max(...samples.map((sample) => sample.shedMsBySecond.length)) },
    (_, second) => samples.flatMap((sample) => sample.shedMsBySecond[second] ?? []),
  );
  const firstMinute = Math.min(60, seconds);
  return {
    offered: Math.round(sum("sent") / (durationMs / 1_000)),
    good: Math.round(sum("good") / (durationMs / 1_000)),
    goodP99Ms: percentile(all("goodMs"), 0.99),
    shed: sum("shed"),
    shedWithoutRetryAfter: sum("shedWithoutRetryAfter"),
    shedP99Ms: percentile(shedBySecond.flat(), 0.99),
    shedP99BySecond: shedBySecond.map((ms) => percentile(ms, 0.99)),
    firstMinute: {
      good: Math.round(goodBySecond.slice(0, firstMinute).reduce((total, good) => total + good, 0) / firstMinute),
      shedP99Ms: percentile(shedBySecond.slice(0, firstMinute).flat(), 0.99),
    },
    failed: sum("failed"),
    goodBySecond,
    failures: addUp(samples.map(({ failures }) => failures)),
    unsent: sum("unsent"),
    ownDelayP99Ms: percentile(all("ownDelayMs"), 0.99),
  };
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function gatewayMemory(platform: Platform): number {
  const pages = ["gateway", "gateway-2"].map((name) =>
    Number(readFileSync(`/proc/${platform.stack.pid(name)}/statm`, "utf8").split(" ")[1]),
  );
  return Math.round((pages.reduce((sum, count) => sum + count, 0) * 4_096) / 2 ** 20);
}

/** Asks every gateway until each answers well within a quarter of a second; gives up after a minute. */
async function recovered(platform: Platform, clients: readonly LoadClient[]): Promise<number> {
  const endedAtMs = Date.now();
  for (const gateway of platform.gateways) {
    while (Date.now() - endedAtMs < 60_000) {
      const sentAtMs = performance.now();
      const response = await fetch(`${gateway}/api/v1/project-client`, {
        headers: { authorization: `Bearer ${clients[0]?.credential}` },
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      await response?.body?.cancel();
      if (response?.ok && performance.now() - sentAtMs < 250) break;
      await delay(50);
    }
  }
  return Date.now() - endedAtMs;
}

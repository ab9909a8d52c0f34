import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { graceMs, type HttpSample } from "@platform/bench/load/http-load";
import { quantile } from "@platform/bench/load/sample";
import { type Generator, startGenerator } from "@platform/bench/processes";
import { canPin, coreCount, pinToCores, preferToOthers } from "@platform/stack/placement";
import type { LoadClient, Platform } from "./platform.ts";

/**
 * Result of a phase of steady or excessive load. Rates are per second. Times are in milliseconds since a request was
 * due.
 */
export type PhaseResult = {
  readonly offered: number;
  readonly good: number;
  readonly goodP99Ms: number;
  readonly shed: number;
  readonly shedWithoutRetryAfter: number;
  readonly shedP99Ms: number;
  /** The same figure for each second; 0 for a second without refusals. */
  readonly shedP99BySecond: readonly number[];
  /** Summary of the first minute, which may be slow at first. The whole phase must not be worse. */
  readonly firstMinute: { readonly good: number; readonly shedP99Ms: number };
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Goodput of each second from the beginning. */
  readonly goodBySecond: readonly number[];
  readonly unsent: number;
  /** 99th percentile of the event-loop delay in the load generator, which is part of the times above. */
  readonly ownDelayP99Ms: number;
};

export type OverloadResult = {
  readonly seconds: number;
  /** True if the load generators had their own core. */
  readonly isPinned: boolean;
  /** True if the gateways were scheduled before the services and stores. */
  readonly isGatewayFirst: boolean;
  /** Goodput by the number of callers. Each caller sends its next request when it has received the response. */
  readonly steps: readonly { readonly callers: number; readonly good: number }[];
  readonly peak: number;
  readonly overload: PhaseResult;
  /** Milliseconds from the end of the overload until each gateway responded successfully and quickly again. */
  readonly recoveryMs: number;
  /** Resident memory of both gateways in MiB: the maximum in the middle third of the overload and in the last third. */
  readonly memory: { readonly middle: number; readonly last: number };
  /** Prefix of the keys of this phase, and the number of acknowledged requests. */
  readonly keyPrefix: string;
  readonly acknowledged: number;
};

const stepMs = 5_000;
const callersAtFirst = 64;
const callersMax = 1_024;
const openConnections = 4_096;

type OverloadOptions = { readonly overloadMs: number; readonly isGatewayFirst: boolean };

/**
 * Finds the peak rate of the platform with few and with many callers, and then sends three times that rate for
 * `overloadMs`.
 * @returns null if gateways cannot be preferred, because this process lacks the permission
 */
export async function runOverload(
  platform: Platform,
  clients: readonly LoadClient[],
  options: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadResult | null> {
  const generator = startGenerator();
  try {
    return await measure(platform, clients, generator, options, say);
  } finally {
    await generator.stop();
  }
}

async function measure(
  platform: Platform,
  clients: readonly LoadClient[],
  generator: Generator,
  { overloadMs, isGatewayFirst }: OverloadOptions,
  say: (text: string) => void,
): Promise<OverloadResult | null> {
  const keyPrefix = `overload-${randomBytes(6).toString("hex")}`;
  const ports = platform.gateways.map((url) => Number(new URL(url).port));
  let acknowledged = 0;
  let round = 0;
  const offer = async (perSecond: number | null, connections: number, durationMs: number): Promise<PhaseResult> => {
    round += 1;
    const sample = await generator.run("http", {
      ports,
      path: "/api/v1/domain-events",
      body: '{"type":"load.happened","schema_version":1,"data":{"key":"overload"}}',
      credentials: clients.map(({ credential }) => credential),
      keyPrefix: `${keyPrefix}-${round}`,
      connections,
      perSecond,
      durationMs,
    });
    acknowledged += sample.good;
    return summarize(sample, durationMs);
  };

  // In production the callers run on other machines, so the cost of sending must not be taken from the platform.
  for (const name of platform.stack.names()) pinToCores(platform.stack.pid(name), `0-${coreCount - 2}`);
  const gateways = ["gateway", "gateway-2"].map((name) => platform.stack.pid(name));
  if (isGatewayFirst && !gateways.every(preferToOthers)) return null;
  // A process that has just started compiles its code during the first requests.
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
    delay(overloadMs + graceMs).then(() => recovered(platform, clients)),
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
  return Math.round(quantile(Float64Array.from(values).sort(), share));
}

function summarize(sample: HttpSample, durationMs: number): PhaseResult {
  const seconds = Math.ceil(durationMs / 1_000);
  const { unsent = 0, 429: _tooMany, 503: _unavailable, ...failures } = sample.refusals;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const firstMinute = Math.min(60, seconds);
  const goodBySecond = sample.goodBySecond.slice(0, seconds);
  return {
    offered: Math.round((sample.count + (failures["no answer"] ?? 0)) / (durationMs / 1_000)),
    good: Math.round(sample.good / (durationMs / 1_000)),
    goodP99Ms: Math.round(sample.goodP99Ms),
    shed: sample.shed,
    shedWithoutRetryAfter: sample.shedWithoutRetryAfter,
    shedP99Ms: percentile(sample.shedMsBySecond.flat(), 0.99),
    shedP99BySecond: sample.shedMsBySecond.map((ms) => percentile(ms, 0.99)),
    firstMinute: {
      good: Math.round(goodBySecond.slice(0, firstMinute).reduce((total, good) => total + good, 0) / firstMinute),
      shedP99Ms: percentile(sample.shedMsBySecond.slice(0, firstMinute).flat(), 0.99),
    },
    failed,
    failures,
    goodBySecond,
    unsent,
    ownDelayP99Ms: Math.round(sample.ownDelayP99Ms),
  };
}

function gatewayMemory(platform: Platform): number {
  const pages = ["gateway", "gateway-2"].map((name) =>
    Number(readFileSync(`/proc/${platform.stack.pid(name)}/statm`, "utf8").split(" ")[1]),
  );
  return Math.round((pages.reduce((sum, count) => sum + count, 0) * 4_096) / 2 ** 20);
}

/** Sends requests to every gateway until each responds well within a quarter of a second. Gives up after a minute. */
async function recovered(platform: Platform, clients: readonly LoadClient[]): Promise<number> {
  const endedAtMs = performance.now();
  for (const gateway of platform.gateways) {
    while (performance.now() - endedAtMs < 60_000) {
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
  return performance.now() - endedAtMs;
}

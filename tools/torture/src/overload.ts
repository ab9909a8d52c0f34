import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { LoadClient, Platform } from "./platform.ts";

/** What a phase of steady or excessive load gave. */
export type PhaseResult = {
  readonly offeredPerSecond: number;
  readonly goodPerSecond: number;
  readonly shed: number;
  /** 99th percentile of the time to a 429 or 503, in milliseconds. */
  readonly shedP99Ms: number;
  readonly failed: number;
};

export type OverloadResult = {
  readonly peak: PhaseResult;
  readonly overload: PhaseResult;
  /** Milliseconds after the overload until a request was answered well and quickly again. */
  readonly recoveryMs: number;
};

const peakMs = 10_000;

/** Finds what the platform can do with as many callers as it likes, then offers it three times that for `overloadMs`. */
export async function runOverload(platform: Platform, client: LoadClient, overloadMs: number): Promise<OverloadResult> {
  const agent = new Agent({ connections: 1_024, pipelining: 1 });
  const peak = await closedLoop(agent, platform, client, 128, peakMs);
  const overload = await openLoop(agent, platform, client, peak.goodPerSecond * 3, overloadMs);
  const endedAtMs = Date.now();
  for (;;) {
    const sentAtMs = performance.now();
    const { isGood } = await ask(agent, platform, client);
    if (isGood && performance.now() - sentAtMs < 250) break;
    if (Date.now() - endedAtMs > 60_000) break;
    await delay(50);
  }
  await agent.destroy();
  return { peak, overload, recoveryMs: Date.now() - endedAtMs };
}

type Answer = { readonly isGood: boolean; readonly isShed: boolean; readonly ms: number };

async function ask(agent: Agent, platform: Platform, client: LoadClient): Promise<Answer> {
  const startedAtMs = performance.now();
  try {
    const response = await request(`${platform.gateways[0]}/api/v1/domain-events`, {
      dispatcher: agent,
      method: "POST",
      headers: {
        authorization: `Bearer ${client.credential}`,
        "idempotency-key": randomUUID(),
        "content-type": "application/json",
      },
      body: '{"type":"load.happened","schema_version":1,"data":{"key":"overload"}}',
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
    await response.body.dump();
    const isShed = response.statusCode === 429 || response.statusCode === 503;
    return { isGood: response.statusCode === 200, isShed, ms: performance.now() - startedAtMs };
  } catch {
    return { isGood: false, isShed: false, ms: performance.now() - startedAtMs };
  }
}

function summarize(answers: readonly Answer[], offeredPerSecond: number, durationMs: number): PhaseResult {
  const shed = answers.filter((answer) => answer.isShed).map(({ ms }) => ms);
  shed.sort((a, b) => a - b);
  const good = answers.filter((answer) => answer.isGood).length;
  return {
    offeredPerSecond: Math.round(offeredPerSecond),
    goodPerSecond: Math.round(good / (durationMs / 1000)),
    shed: shed.length,
    shedP99Ms: Math.round(shed[Math.floor(shed.length * 0.99)] ?? 0),
    failed: answers.length - good - shed.length,
  };
}

async function closedLoop(
  agent: Agent,
  platform: Platform,
  client: LoadClient,
  callers: number,
  durationMs: number,
): Promise<PhaseResult> {
  const answers: Answer[] = [];
  const until = Date.now() + durationMs;
  const call = async (): Promise<void> => {
    while (Date.now() < until) answers.push(await ask(agent, platform, client));
  };
  await Promise.all(Array.from({ length: callers }, call));
  return summarize(answers, answers.length / (durationMs / 1000), durationMs);
}

/** Requests leave at their pace whatever becomes of those before; what waits here for a connection counts as the platform's delay. */
async function openLoop(
  agent: Agent,
  platform: Platform,
  client: LoadClient,
  perSecond: number,
  durationMs: number,
): Promise<PhaseResult> {
  const answers: Answer[] = [];
  const open = new Set<Promise<void>>();
  const startedAtMs = performance.now();
  let sent = 0;
  while (performance.now() - startedAtMs < durationMs) {
    const due = Math.floor(((performance.now() - startedAtMs) / 1000) * perSecond);
    // This machine's own memory is not what is tested: past this many open requests the pace waits.
    for (; sent < due && open.size < 20_000; sent += 1) {
      const asking = ask(agent, platform, client).then((answer) => void answers.push(answer));
      open.add(asking);
      void asking.finally(() => open.delete(asking));
    }
    await delay(5);
  }
  await Promise.all(open);
  return summarize(answers, sent / (durationMs / 1000), durationMs);
}

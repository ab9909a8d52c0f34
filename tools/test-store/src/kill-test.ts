import { setTimeout as delay } from "node:timers/promises";
import type { Counts } from "@platform/checks/run-ring";
import { followArrivals } from "@platform/torture/arrivals";
import { createHistory, type History, type HistoryKind, historyKinds } from "@platform/torture/history";
import { startLoad } from "@platform/torture/load";
import { prepareClient, startPlatform } from "@platform/torture/platform";
import { reconcile } from "@platform/torture/reconcile";
import { isCleanVerdict } from "@platform/torture/report";
import type { TestStore } from "./server.ts";

const kills = 3;
const clientCount = 3;
/** Less than a torture run asks: on two cores the store, the platform and the load take turns. */
const pace = { eventsPerSecond: 200, auditsPerSecond: 20, deliveriesPerSecond: 20 };
const loadMs = 10_000;
const recoveryMsMax = 5_000;
const recoveryWaitMsMax = 60_000;

/**
 * Kills PostgreSQL under load, again and again. Nothing that was acknowledged may be lost, nothing made twice, and each domain answers
 * again soon after the store does.
 */
export async function runKillTest(store: TestStore, say: (text: string) => void): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const check = (isMet: boolean, text: string): void => {
    counts[isMet ? "passed" : "failed"] += 1;
    say(`${isMet ? "ok  " : "FAIL"} ${text}`);
  };
  process.env.MONGODB_URI = store.uri;
  const platform = await startPlatform(say);
  let isOfUse = true;
  try {
    const clients = [];
    for (let index = 0; index < clientCount; index += 1) clients.push(await prepareClient(platform, index));
    const history = createHistory();
    const arrivals = followArrivals(platform.sinkUrl);
    const load = startLoad({ gateways: platform.gateways, clients, history, ...pace });
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(loadMs);
      const killedAtMs = Date.now();
      await store.killPostgres();
      await store.startPostgres();
      const recoveredAtMs = Date.now();
      say(`PostgreSQL killed and back after ${recoveredAtMs - killedAtMs} ms; tries made again: ${again(load)}`);
      for (const [kind, ms] of await recoveries(history, recoveredAtMs)) {
        const took = ms === null ? `not within ${recoveryWaitMsMax / 1_000} s` : `${ms} ms after the store`;
        check(ms !== null && ms <= recoveryMsMax, `kill ${kill}: ${kind} answered again ${took}`);
      }
    }
    await delay(loadMs);
    await load.finish(120_000);
    say(`tries made again: ${again(load)}; reconciling every acknowledged id`);
    for (const verdict of await reconcile(platform, clients, history, arrivals, [])) {
      const { kind, acknowledged, lost, doubled, refused, remarks } = verdict;
      const figures = `${acknowledged} acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${refused.length} refused`;
      check(isCleanVerdict(verdict), `${kind}: ${figures}; ${remarks.join("; ")}`);
      for (const finding of [...lost, ...doubled, ...refused].slice(0, 10)) say(`     ${finding}`);
    }
    arrivals.stop();
    isOfUse = counts.failed > 0;
  } finally {
    await platform.close(isOfUse);
  }
  return counts;
}

function again(load: ReturnType<typeof startLoad>): string {
  return JSON.stringify(load.progress().again);
}

/** How long after that moment each kind of request that began later had its first acknowledgement; null when none had in time. */
async function recoveries(history: History, sinceMs: number): Promise<Map<HistoryKind, number | null>> {
  const known = new Map(historyKinds.map((kind) => [kind, new Set(history.entries(kind).keys())] as const));
  const found = new Map<HistoryKind, number | null>();
  while (found.size < historyKinds.length && Date.now() - sinceMs < recoveryWaitMsMax) {
    for (const kind of historyKinds) {
      if (found.has(kind)) continue;
      for (const [key, { id }] of history.entries(kind)) {
        if (id === null || known.get(kind)?.has(key) === true) continue;
        found.set(kind, Date.now() - sinceMs);
        break;
      }
    }
    await delay(20);
  }
  return new Map(historyKinds.map((kind) => [kind, found.get(kind) ?? null]));
}

import type { Counts } from "@platform/checks/nx/run-ring";
import { isFinding } from "@platform/torture/report";
import { type LoadOutcome, loadStandIn } from "./load-stand-in.ts";
import { natsStandIns } from "./nats-stand-ins.ts";
import { providerStandIns } from "./provider-stand-ins.ts";
import { redisStandIns } from "./redis-stand-ins.ts";
import { storeStandIns } from "./store-stand-ins.ts";

const kinds = [...redisStandIns, ...storeStandIns, ...natsStandIns, ...providerStandIns];
/** Longest time until requests succeed again, in seconds. */
const recoverySecondsMax = 10;

/** Minimum and maximum length of the load of a stand-in, in seconds. */
const secondsMin = 5;
const secondsMax = 600;

/**
 * Puts a platform under load with each stand-in, which begins to misbehave after a few seconds, and compares every
 * acknowledged id with the stored ones.
 * @param seconds length of the misbehaviour
 * @param only part of a stand-in's name; empty for all of them
 */
export async function runLoad(seconds: number, only: string, say: (text: string) => void): Promise<Counts> {
  if (!(seconds >= secondsMin && seconds <= secondsMax))
    throw new Error(`FOR takes ${secondsMin} to ${secondsMax} seconds`);
  const chosen = kinds.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length === 0) throw new Error(`STAND_IN is part of a name: ${kinds.map(({ name }) => name).join("; ")}`);
  const outcomes: LoadOutcome[] = [];
  let broken = 0;
  for (const kind of chosen) {
    say(`load: ${kind.name}, ${seconds} s`);
    try {
      const outcome = await loadStandIn(kind, seconds, say);
      outcomes.push(outcome);
      say(rowOf(outcome));
      for (const problem of problemsOf(outcome)) say(`failed: ${kind.name}: ${problem}`);
    } catch (error) {
      broken += 1;
      say(`failed: ${kind.name}: ${(error as Error).stack}`);
    }
  }
  console.log(`\n${tableOf(outcomes, seconds)}\n`);
  const failed = outcomes.filter((outcome) => problemsOf(outcome).length > 0).length;
  return { passed: outcomes.length - failed, failed: failed + broken, skipped: 0 };
}

function problemsOf({
  recoverySeconds,
  laterSeconds,
  workSeconds,
  lost,
  doubled,
  refused,
  failedTries,
  down,
  alerts,
  remarks,
}: LoadOutcome): string[] {
  const named = (ids: readonly string[]): string => `${ids.length} (${ids.slice(0, 5).join(", ")})`;
  return [
    ...(recoverySeconds > recoverySecondsMax ? [`requests succeeded again after ${recoverySeconds.toFixed(1)} s`] : []),
    ...(laterSeconds.length > 0
      ? [
          `${laterSeconds.length} tries failed again ${laterSeconds[0]?.toFixed(1)} to ${laterSeconds.at(-1)?.toFixed(1)} s later`,
        ]
      : []),
    ...((workSeconds ?? 0) > recoverySecondsMax ? [`work continued after ${workSeconds?.toFixed(1)} s`] : []),
    ...(lost.length > 0 ? [`lost ${named(lost)}`] : []),
    ...(doubled.length > 0 ? [`doubled ${named(doubled)}`] : []),
    ...(refused.length > 0 ? [`refused for good ${named(refused)}`] : []),
    ...(failedTries > 0 && down.length + alerts.length === 0
      ? ["requests failed, and neither a metric of a dependency nor an alert showed it"]
      : []),
    ...remarks.filter(isFinding),
  ];
}

function tableOf(outcomes: readonly LoadOutcome[], seconds: number): string {
  return [
    `| stand-in, ${seconds} s under load | seconds until requests succeed | acknowledged | tries that failed | lost | doubled | platform_dependency_up 0 | alerts whose expression became true |`,
    "|---|---|---|---|---|---|---|---|",
    ...outcomes.map(rowOf),
  ].join("\n");
}

function rowOf(outcome: LoadOutcome): string {
  const { name, recoverySeconds, workSeconds, acknowledged, failedTries, lost, doubled, down, alerts } = outcome;
  const list = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));
  const recovery = `${recoverySeconds.toFixed(1)}${workSeconds === null ? "" : `, relay ${workSeconds.toFixed(1)}`}`;
  return `| ${[name, recovery, acknowledged, failedTries, lost.length, doubled.length, list(down), list(alerts)].join(" | ")} |`;
}

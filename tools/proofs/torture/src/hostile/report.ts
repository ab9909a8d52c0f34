import type { Verdict } from "../domain.ts";
import { isCleanVerdict } from "../report.ts";
import type { ProbeResult } from "./honest-probe.ts";
import { alone, attacked } from "./phases.ts";

/** Maximum factor by which the honest caller's 99th percentile may grow while the others attack. */
export const ratioMax = 3;

/** The result of a hostile run. */
export type HostileOutcome = {
  readonly minutes: number;
  readonly seconds: { readonly alone: number; readonly attacked: number };
  /** Who attacked. */
  readonly callers: readonly string[];
  readonly probe: ReadonlyMap<string, ProbeResult>;
  readonly attempts: ReadonlyMap<string, number>;
  readonly verdicts: readonly Verdict[];
  readonly version: string;
  readonly machine: string;
};

/** Ratio of the honest caller's p99 during attacks to its p99 without attacks. */
export function ratioOf(probe: ReadonlyMap<string, ProbeResult>): number {
  return (probe.get(attacked)?.p99Ms ?? Number.NaN) / (probe.get(alone)?.p99Ms ?? Number.NaN);
}

/** True if nothing was lost, doubled or refused, and the honest caller waited no longer than permitted. */
export function isHeld({ probe, verdicts }: Pick<HostileOutcome, "probe" | "verdicts">): boolean {
  const refused = Object.keys(probe.get(attacked)?.failures ?? {}).length;
  return verdicts.every(isCleanVerdict) && refused === 0 && ratioOf(probe) <= ratioMax;
}

/** The report of the run as Markdown. */
export function renderHostileReport(outcome: HostileOutcome): string {
  const { minutes, seconds, callers, probe, attempts, verdicts } = outcome;
  const row = (phase: string): string => {
    const of = probe.get(phase);
    if (of === undefined) return `| ${phase} | – | – | – | – | – |`;
    const failures = Object.entries(of.failures).map(([kind, count]) => `${count} × ${kind}`);
    const ms = (value: number): string => `${value.toFixed(1)} ms`;
    return `| ${phase} | ${of.count} | ${ms(of.p50Ms)} | ${ms(of.p99Ms)} | ${ms(of.maxMs)} | ${failures.join(", ") || "0"} |`;
  };
  const ratio = ratioOf(probe);
  return [
    `# Hostile callers, ${minutes} minutes`,
    "",
    `Commit ${outcome.version}, ${outcome.machine}. Reproduce with \`make torture PROFILE=hostile MINUTES=${minutes}\`.`,
    "",
    `Phases alternate: ${seconds.alone} s in which nobody attacks, ${seconds.attacked} s of attack by ${callers.join(", ")} together, from a process of the lowest priority. The domains' load runs throughout.`,
    "",
    "## The honest caller",
    "",
    "| phase | requests | p50 | p99 | longest | failures |",
    "|---|---|---|---|---|---|",
    row(alone),
    row(attacked),
    "",
    `p99 while attacked is ${ratio.toFixed(2)} × its p99 alone (at most ${ratioMax} ×): ${ratio <= ratioMax ? "met" : "**missed**"}.`,
    "",
    "## Nothing lost",
    "",
    "| | asked | acknowledged | retried | lost | doubled | refused | |",
    "|---|---|---|---|---|---|---|---|",
    ...verdicts.map(
      (verdict) =>
        `| ${verdict.kind} | ${verdict.asked} | ${verdict.acknowledged} | ${verdict.retried} | ${verdict.lost.length} | ${verdict.doubled.length} | ${verdict.refused.length} | ${verdict.remarks.join("; ")} |`,
    ),
    "",
    "## What the attackers tried",
    "",
    "| caller | attempt | outcomes |",
    "|---|---|---|",
    ...attemptRows(attempts),
    "",
  ].join("\n");
}

/** One row per attempt, with its outcomes in descending order of frequency. */
export function attemptRows(attempts: ReadonlyMap<string, number>): string[] {
  const rows = new Map<string, [string, number][]>();
  for (const [key, count] of attempts) {
    const [actor = "", attempt = "", outcome = ""] = key.split("|");
    const name = `| ${actor} | ${attempt} |`;
    rows.set(name, [...(rows.get(name) ?? []), [outcome, count]]);
  }
  return [...rows].map(([name, outcomes]) => {
    const sorted = outcomes.sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} × ${outcome}`);
    return `${name} ${sorted.join(", ")} |`;
  });
}

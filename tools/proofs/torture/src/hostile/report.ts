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
  /** Seconds in which they attacked. */
  readonly attackedSeconds: number;
  /** Processor time of each process by phase, in cores. */
  readonly cores: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly verdicts: readonly Verdict[];
  readonly version: string;
  readonly machine: string;
};

/** Ratio of the honest caller's p99 during attacks to its p99 without attacks. */
export function ratioOf(probe: ReadonlyMap<string, ProbeResult>): number {
  return (probe.get(attacked)?.p99Ms ?? Number.NaN) / (probe.get(alone)?.p99Ms ?? Number.NaN);
}

/**
 * True if every attack reached the platform, nothing was lost, doubled or refused, and the honest caller waited no longer
 * than permitted.
 */
export function isHeld({
  probe,
  verdicts,
  attempts,
}: Pick<HostileOutcome, "probe" | "verdicts" | "attempts">): boolean {
  const refused = Object.keys(probe.get(attacked)?.failures ?? {}).length;
  const hasReached = attempts.size > 0 && unanswered(attempts).length === 0;
  return hasReached && verdicts.every(isCleanVerdict) && refused === 0 && ratioOf(probe) <= ratioMax;
}

/** Outcomes that a caller notes itself when no response of the platform arrives. */
const withoutResponse = /^(dependency_unavailable|deadline_exceeded|\d{1,2}|E[A-Z]+|UND_ERR_\w+|\w*Error)$/;

/** The attempts to which the platform never responded, as `caller: attempt`. A platform that survives them proves nothing. */
export function unanswered(attempts: ReadonlyMap<string, number>): string[] {
  const answered = new Map<string, boolean>();
  for (const key of attempts.keys()) {
    const [actor = "", attempt = "", outcome = ""] = key.split("|");
    const name = `${actor}: ${attempt}`;
    answered.set(name, answered.get(name) === true || !withoutResponse.test(outcome));
  }
  return [...answered].flatMap(([name, isAnswered]) => (isAnswered ? [] : name));
}

/** The report of the run as Markdown. */
export function renderHostileReport(outcome: HostileOutcome): string {
  const { minutes, seconds, callers, probe, attempts, attackedSeconds, cores, verdicts } = outcome;
  const silent = unanswered(attempts);
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
    `Phases alternate: ${seconds.alone} s in which nobody attacks, ${seconds.attacked} s of attack by ${callers.join(", ")} together, each from a process that runs only on idle processor time. The domains' load runs throughout.`,
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
    "## Processor time",
    "",
    "Share of one core that each process used. The platform's processes have priorities in proportion to the processor time that their manifests request, and the attackers run only on idle processor time.",
    "",
    "| process | alone | attacked |",
    "|---|---|---|",
    ...coreRows(cores),
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
    "| caller | attempt | per second | outcomes |",
    "|---|---|---|---|",
    ...attemptRows(attempts, attackedSeconds),
    "",
    silent.length === 0
      ? "The platform responded to every kind of attempt."
      : `**The platform never responded to ${silent.join(", ")}**, so this run proves nothing about it.`,
    "",
  ].join("\n");
}

/** One row per process that used at least 1 % of a core in a phase, and a last one with the sum of all. */
export function coreRows(cores: ReadonlyMap<string, ReadonlyMap<string, number>>): string[] {
  const [before, during] = [alone, attacked].map((phase) => cores.get(phase) ?? new Map<string, number>());
  const names = new Set([...(before?.keys() ?? []), ...(during?.keys() ?? [])]);
  const rows = [...names].map((name) => [name, before?.get(name) ?? 0, during?.get(name) ?? 0] as const);
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const sum = (at: 1 | 2): number => rows.reduce((total, row) => total + row[at], 0);
  return [
    ...rows
      .filter(([, one, other]) => Math.max(one, other) >= 0.01)
      .toSorted(([, , one], [, , other]) => other - one)
      .map(([name, one, other]) => `| ${name} | ${percent(one)} | ${percent(other)} |`),
    `| all | ${percent(sum(1))} | ${percent(sum(2))} |`,
  ];
}

/** One row per attempt, with its rate during `seconds` of attack and its outcomes in descending order of frequency. */
export function attemptRows(attempts: ReadonlyMap<string, number>, seconds: number): string[] {
  const rows = new Map<string, [string, number][]>();
  for (const [key, count] of attempts) {
    const [actor = "", attempt = "", outcome = ""] = key.split("|");
    const name = `| ${actor} | ${attempt} |`;
    rows.set(name, [...(rows.get(name) ?? []), [outcome, count]]);
  }
  return [...rows].map(([name, outcomes]) => {
    const sorted = outcomes.sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} × ${outcome}`);
    const total = outcomes.reduce((sum, [, count]) => sum + count, 0);
    return `${name} ${(total / seconds).toFixed(1)} | ${sorted.join(", ")} |`;
  });
}

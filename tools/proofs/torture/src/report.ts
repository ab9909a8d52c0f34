import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import type { Verdict } from "./domain.ts";
import type { OverloadResult } from "./overload.ts";

/** Everything that one run did and found. */
export type TortureRun = {
  readonly minutes: number;
  readonly seed: number;
  readonly pace: Readonly<Record<string, number>>;
  readonly faults: ReadonlyMap<string, number>;
  /** Requests with a final response, in each whole minute of the faults. */
  readonly settledByMinute: readonly number[];
  readonly verdicts: readonly Verdict[];
  readonly overloads: readonly OverloadResult[];
};

/** True if nothing went wrong. */
export function isClean(run: TortureRun): boolean {
  return run.verdicts.every(isCleanVerdict);
}

/** A remark that begins with capital letters reports a fault. Any other is information. */
export const isFinding = (remark: string): boolean => /^[A-Z]{4}/.test(remark);

export function isCleanVerdict({ lost, doubled, refused, remarks }: Verdict): boolean {
  return lost.length === 0 && doubled.length === 0 && refused.length === 0 && !remarks.some(isFinding);
}

/** The report of a run as Markdown. It lists all lost or doubled ids. */
export function renderReport(run: TortureRun): string {
  const version = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  }).trim();
  const lines = [
    `# Torture run of ${run.minutes} minutes`,
    "",
    `Commit ${version}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB.`,
    `Reproduce with \`make torture MINUTES=${run.minutes} SEED=${run.seed}\`.`,
    "",
    `Load a second: ${Object.entries(run.pace)
      .map(([name, perSecond]) => `${perSecond} ${name}`)
      .join(", ")}, over two gateways, retried as the contract asks.`,
    averageLine(run),
    `Settled minute by minute: ${run.settledByMinute.join(", ")}.`,
    "",
    "| fault | times |",
    "|---|---|",
    ...[...run.faults].map(([name, times]) => `| ${name} | ${times} |`),
    "",
    "| | asked | acknowledged | retried | lost | doubled | refused | |",
    "|---|---|---|---|---|---|---|---|",
    ...run.verdicts.map(
      (verdict) =>
        `| ${verdict.kind} | ${verdict.asked} | ${verdict.acknowledged} | ${verdict.retried} | ${verdict.lost.length} | ${verdict.doubled.length} | ${verdict.refused.length} | ${verdict.remarks.join("; ")} |`,
    ),
    "",
  ];
  for (const overload of run.overloads) lines.push(...overloadLines(overload));
  for (const verdict of run.verdicts) {
    for (const name of ["lost", "doubled", "refused"] as const) {
      if (verdict[name].length > 0)
        lines.push(`## ${name}: ${verdict.kind}`, "", ...verdict[name].map((id) => `- ${id}`), "");
    }
  }
  return lines.join("\n");
}

/**
 * The rate at which requests were really sent. It is below the planned rate if requests pile up, because the load then
 * waits.
 */
export function averageLine({ minutes, verdicts }: Pick<TortureRun, "minutes" | "verdicts">): string {
  const rates = verdicts.map(
    ({ kind, asked }) => `${Number((asked / Math.max(1, minutes * 60)).toPrecision(3))} ${kind}`,
  );
  return `Asked a second, on average: ${rates.join(", ")}; nothing new is asked while 20,000 requests wait.`;
}

/** The figures of the overload, each with its target. */
export function overloadLines({
  seconds,
  isPinned,
  isGatewayFirst,
  steps,
  peak,
  overload,
  recoveryMs,
  memory,
  acknowledged,
}: OverloadResult): string[] {
  const { firstMinute } = overload;
  const share = (good: number): number => good / Math.max(1, peak);
  const percent = (good: number): string => `${Math.round(share(good) * 100)} %`;
  const growth = (memory.last - memory.middle) / Math.max(1, memory.middle);
  const row = (what: string, value: string, isMet: boolean): string =>
    `| ${what} | ${value} | ${isMet ? "met" : "**missed**"} |`;
  return [
    `Overload: POST /domain-events over two gateways for ${seconds} s, without proxies between the parts, by a process of its own${isPinned ? " on a core of its own" : ""}. ` +
      `The gateways had a core ${isGatewayFirst ? "whenever they wanted one, before services and stores" : "like any process among services and stores"}. Goodput with ` +
      `${steps.map(({ callers, good }) => `${callers} callers ${good}/s`).join(", ")}; the peak is ${peak}/s.`,
    "",
    "| demanded | measured | |",
    "|---|---|---|",
    row(
      "offered ≥ 3 × peak",
      `${overload.offered}/s, ${overload.unsent} more found no free connection`,
      overload.offered >= peak * 2.95,
    ),
    row(
      "goodput ≥ 60 % of peak",
      `${overload.good}/s, ${percent(overload.good)}, p99 ${overload.goodP99Ms} ms; in the first minute ${firstMinute.good}/s, ${percent(firstMinute.good)}`,
      share(overload.good) >= 0.6 && share(firstMinute.good) >= 0.6,
    ),
    row(
      "the rest shed with 429 or 503 and Retry-After",
      `${overload.shed} shed, ${overload.shedWithoutRetryAfter} of them without, ${overload.failed} failed otherwise${overload.failed === 0 ? "" : ` (${JSON.stringify(overload.failures)})`}`,
      overload.failed === 0 && overload.shedWithoutRetryAfter === 0,
    ),
    row(
      "shed within 250 ms",
      `p99 ${overload.shedP99Ms} ms, in the first minute ${firstMinute.shedP99Ms} ms; the generator's own event-loop delay is up to ${overload.ownDelayP99Ms} ms of it (p99)`,
      overload.shedP99Ms <= 250 && firstMinute.shedP99Ms <= 250,
    ),
    row("well again within 5 s", `${recoveryMs} ms after the last request`, recoveryMs <= 5_000),
    row(
      "memory flat",
      `${memory.middle} MiB at most in the middle third, ${memory.last} MiB in the last`,
      growth <= 0.1,
    ),
    "",
    `${acknowledged} events were acknowledged in this phase. Goodput second by second: ${overload.goodBySecond.join(", ")}.`,
    "",
    `Refusals' p99 second by second, in ms: ${overload.shedP99BySecond.join(", ")}.`,
    "",
  ];
}

/** Writes a report to docs/torture, or to the given folder. @returns its path */
export function writeReport(
  markdown: string,
  name: string,
  folder: string = join(repositoryRoot, "docs/torture"),
): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, markdown);
  return path;
}

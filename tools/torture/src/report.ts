import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import type { OverloadResult } from "./overload.ts";
import type { Verdict } from "./reconcile.ts";

/** Everything one run did and found. */
export type TortureRun = {
  readonly minutes: number;
  readonly seed: number;
  readonly pace: { readonly events: number; readonly audits: number; readonly deliveries: number };
  readonly faults: ReadonlyMap<string, number>;
  readonly verdicts: readonly Verdict[];
  readonly overload: OverloadResult | null;
};

/** Did anything go wrong that must not? */
export function isClean(run: TortureRun): boolean {
  const clean = (verdict: Verdict): boolean =>
    verdict.lost.length === 0 &&
    verdict.doubled.length === 0 &&
    verdict.refused.length === 0 &&
    !verdict.remarks.some((remark) => /^[A-Z]{4}/.test(remark));
  return run.verdicts.every(clean);
}

/** The run as Markdown. Ids that were lost or doubled are named, all of them. */
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
    `Load: ${run.pace.events} events/s, ${run.pace.audits} audits/s, ${run.pace.deliveries} deliveries/s over two gateways, retried as the contract asks.`,
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
  if (run.overload !== null) {
    const { peak, overload, recoveryMs } = run.overload;
    lines.push(
      `Overload: peak ${peak.goodPerSecond}/s; offered ${overload.offeredPerSecond}/s, of which ${overload.goodPerSecond}/s were done ` +
        `(${Math.round((100 * overload.goodPerSecond) / Math.max(1, peak.goodPerSecond))} % of peak), ${overload.shed} shed (p99 ${overload.shedP99Ms} ms), ` +
        `${overload.failed} failed otherwise; answered well again ${recoveryMs} ms after it ended.`,
      "",
    );
  }
  for (const verdict of run.verdicts) {
    for (const name of ["lost", "doubled", "refused"] as const) {
      if (verdict[name].length > 0)
        lines.push(`## ${name}: ${verdict.kind}`, "", ...verdict[name].map((id) => `- ${id}`), "");
    }
  }
  return lines.join("\n");
}

/** Writes the report to docs/torture/report.md. @returns its path */
export function writeReport(markdown: string): string {
  const folder = join(repositoryRoot, "docs/torture");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "report.md");
  writeFileSync(path, markdown);
  return path;
}

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { readSource } from "../source-files.ts";
import { processAlertTests } from "./process-alert-tests.ts";

const rulesPath = "k8s/components/prometheus-operator/alerts.yaml";
const testsPath = "ops/prometheus/alerts.test.yaml";

/**
 * Tests the alert rules with Prometheus's own promtool: they must parse, and fire for the series of
 * ops/prometheus/alerts.test.yaml as expected there.
 * @param promtool a command on PATH, or a path
 * @returns problems, empty if the tests passed; null if there is no promtool
 */
export function testAlertRules(rules: string = readSource(rulesPath), promtool = "promtool"): string[] | null {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  try {
    // The content of spec is a rules file of Prometheus.
    writeFileSync(join(folder, "alerts.yaml"), stringify((parse(rules) as { spec: object }).spec));
    const tests = parse(readSource(testsPath)) as { tests: object[] };
    tests.tests.push(...processAlertTests());
    writeFileSync(join(folder, "alerts.test.yaml"), stringify(tests));
    for (const args of [
      ["check", "rules", "--lint-fatal", "alerts.yaml"],
      ["test", "rules", "alerts.test.yaml"],
    ]) {
      const { error, status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: "utf8" });
      if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return null;
      if (error !== undefined) throw error;
      if (status !== 0) return [`promtool ${args.slice(0, 2).join(" ")}: ${stdout}${stderr}`.trim()];
    }
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

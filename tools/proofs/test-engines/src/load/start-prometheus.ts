import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prometheusSpec, scrapeConfigs } from "@platform/stack/monitoring";
import { repositoryRoot, type Stack } from "@platform/stack/stack";
import { freePort } from "@platform/test-kit/free-port";
import { startTestProcess } from "@platform/test-kit/test-process";

/** A Prometheus with the platform's alert rules that scrapes a platform in one process every second. */
export type TestPrometheus = {
  /**
   * Returns the dependencies that a process has reported as down since a time, and the alerts whose expression has
   * become true since then. The delay before an alert fires (`for`) is ignored, because most of these faults end
   * sooner.
   */
  seenSince(atMs: number): Promise<{ readonly down: readonly string[]; readonly alerts: readonly string[] }>;
  close(): Promise<void>;
};

/** An outage of one second is detected. */
const scrapeSeconds = 1;
const startMsMax = 180_000;
type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] };

/** Starts Prometheus on a free port of 127.0.0.1. Resolves when every process of the stack has been scraped. */
export async function startPrometheus(stack: Stack): Promise<TestPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const port = await freePort();
  const processes = stack.probes().map(({ name, url }) => ({ name, readyUrl: url }));
  const spec = prometheusSpec({ root: repositoryRoot, folder, port, processes, isOne: true, scrapeSeconds });
  const server = startTestProcess(spec.command, spec.args, { env: { ...process.env, ...spec.env } });
  const query = async (expression: string): Promise<readonly Sample[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data, error } = (await response.json()) as { data?: { result: readonly Sample[] }; error?: string };
    if (data === undefined) throw new Error(`Prometheus answered ${response.status} to ${expression}: ${error}`);
    return data.result;
  };
  const targets = scrapeConfigs(processes).flatMap(({ static_configs }) => static_configs).length;
  const close = async (): Promise<void> => {
    await server.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // On a busy machine a scrape may be late, but each process has to be scraped once.
    await server.until(async () => (await query("max_over_time(up[3m]) == 1")).length === targets, {
      what: "Prometheus has read every process",
      timeoutMs: startMsMax,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    seenSince: async (atMs) => {
      const seconds = Math.max(2, Math.ceil((performance.now() - atMs) / 1_000));
      const down = await query(`min by (dependency) (min_over_time(platform_dependency_up[${seconds}s])) == 0`);
      const alerts = await query(
        `group by (alertname) (last_over_time(ALERTS[${seconds}s])) unless group by (alertname) (ALERTS offset ${seconds}s)`,
      );
      return {
        down: down.map(({ metric }) => metric.dependency ?? "").sort(),
        alerts: alerts.map(({ metric }) => metric.alertname ?? "").sort(),
      };
    },
    close,
  };
}

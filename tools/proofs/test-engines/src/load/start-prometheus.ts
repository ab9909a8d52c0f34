import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, type Stack } from "@platform/stack/stack";
import { freePort } from "@platform/test-kit/free-port";
import { startTestProcess } from "@platform/test-kit/test-process";
import { parse, stringify } from "yaml";

/** Prometheus with the platform's alert rules, which reads a stack's metrics every second. */
export type TestPrometheus = {
  /**
   * Dependencies that a process found down after a time, and alerts whose expression became true after it, those left out that were before. How long an alert waits until it fires
   * (`for`) is left out: a fault that is over sooner pages nobody.
   */
  seenSince(atMs: number): Promise<{ readonly down: readonly string[]; readonly alerts: readonly string[] }>;
  close(): Promise<void>;
};

const everySeconds = 1;
const startMsMax = 180_000;
type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] };

/** Starts it on a free port of 127.0.0.1; resolves when every process of the stack has been read. */
export async function startPrometheus(stack: Stack): Promise<TestPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const port = await freePort();
  const rules = parse(readFileSync(join(repositoryRoot, "k8s/components/prometheus-operator/alerts.yaml"), "utf8"));
  writeFileSync(join(folder, "rules.yaml"), stringify(rules.spec));
  writeFileSync(join(folder, "prometheus.yaml"), stringify(configuration(stack)));
  const server = startTestProcess("prometheus", [
    `--config.file=${join(folder, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const query = async (expression: string): Promise<readonly Sample[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data, error } = (await response.json()) as { data?: { result: readonly Sample[] }; error?: string };
    if (data === undefined) throw new Error(`Prometheus answered ${response.status} to ${expression}: ${error}`);
    return data.result;
  };
  const targets = stack.probes().length;
  const close = async (): Promise<void> => {
    await server.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // On a busy machine a scrape may be late; each process has to be read once.
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

/** Labels as the PodMonitor gives them (k8s/components/prometheus-operator). */
function configuration(stack: Stack): object {
  const scrapes = stack.probes().map(({ name, url }) => ({
    targets: [new URL(url).host],
    labels: {
      namespace: "platform",
      app: name.replace(/-worker$/, ""),
      component: name.endsWith("-worker") ? "worker" : "server",
    },
  }));
  return {
    global: { scrape_interval: `${everySeconds}s`, evaluation_interval: `${everySeconds}s` },
    rule_files: ["rules.yaml"],
    scrape_configs: [{ job_name: "platform", static_configs: scrapes }],
  };
}

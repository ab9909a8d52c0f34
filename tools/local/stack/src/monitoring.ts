import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import type { Component } from "./components.ts";
import type { StackPorts } from "./ports.ts";

const rulesPath = "k8s/components/prometheus-operator/alerts.yaml";
const scrapeInterval = "10s";
const keptFor = "15d";

/**
 * Rules of the deployed platform that would only disturb on a developer's machine. The stack runs without a malware scanner unless CLAMD_URL names one,
 * its own commands use the operator token, and it is restarted as often as its developer likes.
 */
const leftOut: readonly string[] = ["UploadsUnscanned", "BreakGlassUsed", "ProcessRestarts"];

type Rules = { readonly groups: readonly { readonly name: string; readonly rules: readonly { alert: string }[] }[] };
type Target = { readonly targets: readonly string[]; readonly labels: Readonly<Record<string, string>> };

type MonitoringOptions = {
  readonly root: string;
  readonly directory: string;
  readonly ports: StackPorts;
  readonly components: readonly Component[];
  /** The platform's own parts share one process. */
  readonly isOne: boolean;
};

/**
 * Writes the configuration of Prometheus and Alertmanager below the stack's directory, and says how both are started.
 * @throws Error when a program is missing, with what to do
 */
export function monitoringSpecs({ root, directory, ports, components, isOne }: MonitoringOptions) {
  const prometheus = findProgram("prometheus");
  // Debian's name, and that of other systems.
  const alertmanager = findProgram("prometheus-alertmanager", "alertmanager");
  const folders = { prometheus: join(directory, "prometheus"), alertmanager: join(directory, "alertmanager") };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const write = (name: keyof typeof folders, file: string, content: object): string => {
    const path = join(folders[name], file);
    // YAML includes JSON.
    writeFileSync(path, JSON.stringify(content, null, 2));
    return path;
  };
  const rules = write("prometheus", "rules.yml", localRules(readFileSync(join(root, rulesPath), "utf8"), isOne));
  const config = write("prometheus", "prometheus.yml", {
    global: { scrape_interval: scrapeInterval, evaluation_interval: scrapeInterval },
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${ports.alertmanager}`] }] }] },
    scrape_configs: scrapeConfigs(components),
  });
  // Nobody is notified: the console shows what fires.
  const routes = write("alertmanager", "alertmanager.yml", {
    route: { receiver: "console" },
    receivers: [{ name: "console" }],
  });
  const spec = (name: keyof typeof folders, command: string, args: readonly string[]) => ({
    name,
    command,
    args: [...args, `--web.listen-address=127.0.0.1:${ports[name]}`, "--log.level=warn"],
    // Half the garbage of Go's default, at a little more CPU.
    env: { GOGC: "50" },
    cwd: folders[name],
    readyUrl: `http://127.0.0.1:${ports[name]}/-/ready`,
  });
  return [
    spec("prometheus", prometheus, [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folders.prometheus, "data")}`,
      `--storage.tsdb.retention.time=${keptFor}`,
    ]),
    spec("alertmanager", alertmanager, [
      `--config.file=${routes}`,
      `--storage.path=${join(folders.alertmanager, "data")}`,
      "--cluster.listen-address=",
    ]),
  ];
}

/**
 * The alert rules of the cluster as a rules file, without those that do not apply here.
 * @param source text of the PrometheusRule
 */
export function localRules(source: string, isOne: boolean): Rules {
  const { spec } = parse(source) as { spec: Rules };
  // The bound of MemoryGrows is for one service's process.
  const names = isOne ? [...leftOut, "MemoryGrows"] : leftOut;
  return {
    groups: spec.groups.map((group) => ({
      ...group,
      rules: group.rules.filter(({ alert }) => !names.includes(alert)),
    })),
  };
}

/** What is scraped: every process of the platform, with the labels that a PodMonitor gives its pods. */
export function scrapeConfigs(components: readonly Pick<Component, "name" | "readyUrl">[]) {
  const targets = components.map(({ name, readyUrl }): Target => {
    const [, app = "", worker] = /^(.+?)(-worker)?(?:-2)?$/.exec(name) ?? [];
    const labels: Record<string, string> = { job: "platform", namespace: "local", pod: name, app };
    return {
      targets: [new URL(readyUrl).host],
      labels: { ...labels, component: worker === undefined ? "server" : "worker" },
    };
  });
  const gateways = targets.filter(({ labels }) => labels.app === "gateway");
  return [
    { job_name: "platform", static_configs: targets },
    {
      // A gateway here also does the work of gateway-transfers. Only whether it is up counts for that one; its figures would count twice.
      job_name: "transfers",
      static_configs: gateways.map(
        ({ labels, ...target }): Target => ({
          ...target,
          labels: { ...labels, component: "transfers" },
        }),
      ),
      metric_relabel_configs: [{ action: "drop", source_labels: ["__name__"], regex: ".*" }],
    },
  ];
}

function findProgram(...names: readonly string[]): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const path = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((each) => existsSync(each));
  if (path !== undefined) return path;
  throw new Error(
    `${names[0]} is not installed; run  apt-get install -y --no-install-recommends prometheus prometheus-alertmanager  or start without them by STACK_MONITORING=off`,
  );
}

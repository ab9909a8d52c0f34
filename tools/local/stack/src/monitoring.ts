import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import type { Component } from "./components.ts";
import type { StackPorts } from "./ports.ts";

const rulesPath = "k8s/components/prometheus-operator/alerts.yaml";
const scrapeSeconds = 10;
const keptFor = "15d";

/**
 * Rules of the deployed platform that would only disturb developers. The stack runs without a malware scanner unless
 * CLAMD_URL is set, its own commands use the operator token, and developers restart it as often as they like.
 */
const leftOut: readonly string[] = ["UploadsUnscanned", "BreakGlassUsed", "ProcessRestarts"];

type Rules = { readonly groups: readonly { readonly name: string; readonly rules: readonly { alert: string }[] }[] };
type ScrapedProcess = Pick<Component, "name" | "readyUrl">;
type Target = { readonly targets: readonly string[]; readonly labels: Readonly<Record<string, string>> };

type MonitoringOptions = {
  readonly root: string;
  readonly directory: string;
  readonly ports: StackPorts;
  readonly components: readonly Component[];
  /** These rules are also omitted if all parts of the platform share one process. */
  readonly isOne: boolean;
};

/**
 * Writes the configuration of Prometheus and Alertmanager below the stack's directory, and returns how both are
 * started.
 * @throws Error if a program is missing, with what to do
 */
export function monitoringSpecs({ root, directory, ports, components, isOne }: MonitoringOptions) {
  // The program has one name on Debian and another one on other systems.
  const alertmanager = findProgram("prometheus-alertmanager", "alertmanager");
  const folder = join(directory, "alertmanager");
  // No notifications are sent, because the console shows the alerts.
  const routes = writeYaml(join(folder, "alertmanager.yml"), {
    route: { receiver: "console" },
    receivers: [{ name: "console" }],
  });
  return [
    prometheusSpec({
      root,
      folder: join(directory, "prometheus"),
      port: ports.prometheus,
      alertmanagerPort: ports.alertmanager,
      processes: components,
      isOne,
      scrapeSeconds,
    }),
    spec("alertmanager", { command: alertmanager, folder, port: ports.alertmanager }, [
      `--config.file=${routes}`,
      `--storage.path=${join(folder, "data")}`,
      "--cluster.listen-address=",
    ]),
  ];
}

type PrometheusOptions = Pick<MonitoringOptions, "root" | "isOne"> & {
  /** Folder in which the configuration, the rules and the data are stored. */
  readonly folder: string;
  /** Port of 127.0.0.1 that it listens on. */
  readonly port: number;
  /** Port of the Alertmanager that receives alerts; if undefined, alerts are not sent. */
  readonly alertmanagerPort?: number;
  readonly processes: readonly ScrapedProcess[];
  /** Seconds from one scrape, and from one evaluation of the rules, to the next. */
  readonly scrapeSeconds: number;
};

/**
 * Writes the configuration of a Prometheus that scrapes a platform and evaluates the cluster's alert rules, and returns
 * how it is started.
 * @throws Error if the program is missing, with what to do
 */
export function prometheusSpec(options: PrometheusOptions) {
  const { root, folder, port, alertmanagerPort, processes, isOne } = options;
  const rules = writeYaml(join(folder, "rules.yml"), localRules(readFileSync(join(root, rulesPath), "utf8"), isOne));
  const every = `${options.scrapeSeconds}s`;
  const targets = alertmanagerPort === undefined ? [] : [`127.0.0.1:${alertmanagerPort}`];
  const config = writeYaml(join(folder, "prometheus.yml"), {
    global: { scrape_interval: every, evaluation_interval: every },
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets }] }] },
    scrape_configs: scrapeConfigs(processes),
  });
  return spec("prometheus", { command: findProgram("prometheus"), folder, port }, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--storage.tsdb.retention.time=${keptFor}`,
  ]);
}

function spec(
  name: string,
  { command, folder, port }: { readonly command: string; readonly folder: string; readonly port: number },
  args: readonly string[],
) {
  return {
    name,
    command,
    args: [...args, `--web.listen-address=127.0.0.1:${port}`, "--log.level=warn"],
    // This setting halves the garbage compared with Go's default, at the cost of a little more CPU.
    env: { GOGC: "50" },
    cwd: folder,
    readyUrl: `http://127.0.0.1:${port}/-/ready`,
  };
}

/** Writes a file of settings and returns its path. */
function writeYaml(path: string, content: object): string {
  mkdirSync(dirname(path), { recursive: true });
  // JSON is valid YAML.
  writeFileSync(path, JSON.stringify(content, null, 2));
  return path;
}

/**
 * Returns the alert rules of the cluster as a rules file, without those that do not apply here.
 * @param source text of the PrometheusRule
 */
export function localRules(source: string, isOne: boolean): Rules {
  const { spec } = parse(source) as { spec: Rules };
  // The threshold of MemoryGrows applies to the process of one service, not to all in one.
  const names = isOne ? [...leftOut, "MemoryGrows"] : leftOut;
  return {
    groups: spec.groups.map((group) => ({
      ...group,
      rules: group.rules.filter(({ alert }) => !names.includes(alert)),
    })),
  };
}

/** Returns the scraped targets: every process of the platform, with the labels that a PodMonitor gives its pods. */
export function scrapeConfigs(processes: readonly ScrapedProcess[]) {
  const targets = processes.map(({ name, readyUrl }): Target => {
    const [, app = "", component = "server"] = /^(.+?)(?:(?<=-svc)-([a-z]+))?(?:-2)?$/.exec(name) ?? [];
    const labels: Record<string, string> = { job: "platform", namespace: "local", pod: name, app };
    return {
      targets: [new URL(readyUrl).host],
      labels: { ...labels, component },
    };
  });
  const gateways = targets.filter(({ labels }) => labels.app === "gateway");
  return [
    { job_name: "platform", static_configs: targets },
    {
      // A gateway of the local stack also does the work of gateway-transfers. Only the liveness of that target counts;
      // its metrics would count twice.
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

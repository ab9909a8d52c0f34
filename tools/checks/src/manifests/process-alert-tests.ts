import { globSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { readSource, repositoryRoot } from "../source-files.ts";
import type { KubernetesObject } from "./render-overlay.ts";

/** A process of an app, by the labels of its Deployment. */
type Process = { readonly app: string; readonly component: string };

/** Length in minutes of running between two outages, and of an outage. */
const [everyMinutes, goneMinutes] = [20, 12];

/** Returns every process that the manifests deploy. */
function deployedProcesses(): Process[] {
  return globSync("k8s/base/*/*.yaml", { cwd: repositoryRoot })
    .sort()
    .flatMap((path) => parseAllDocuments(readSource(path)).map((document) => document.toJS() as KubernetesObject))
    .filter(({ kind }) => kind === "Deployment")
    .map(({ metadata }) => {
      const { "app.kubernetes.io/name": app = "", "app.kubernetes.io/component": component = "" } =
        metadata.labels ?? {};
      return { app, component };
    });
}

const seriesOf = ({ app, component }: Process, values: string, namespace = "platform") => ({
  series: `up{job="platform",namespace="${namespace}",pod="${app}-${component}-1",app="${app}",component="${component}"}`,
  values,
});
const alertOf = ({ app, component }: Process, labels: Readonly<Record<string, string>>) => ({
  exp_labels: { severity: "page", app, component, ...labels },
  exp_annotations: {
    summary: `no ${component} process of ${app} has run for 5 minutes`,
    runbook_url: "https://docs.platform.example/operations.md#processesgone",
  },
});
const expectAlerts = (minute: number, exp_alerts: readonly object[]) => ({
  alertname: "ProcessesGone",
  eval_time: `${minute}m`,
  exp_alerts,
});

/**
 * Creates the tests of the alert ProcessesGone for promtool. The deployed processes disappear one after the other, one process has never run, and one
 * disappears from only one of two namespaces.
 */
export function processAlertTests(): object[] {
  const processes = deployedProcesses();
  const goneFrom = (index: number): number => everyMinutes * (index + 1);
  const outages = processes.map((process, index) =>
    seriesOf(
      process,
      `1x${goneFrom(index) - 1} _x${goneMinutes} 1x${everyMinutes * (processes.length + 1) - goneFrom(index)}`,
    ),
  );
  const inTurn = processes.flatMap((process, index) => [
    expectAlerts(goneFrom(index) + 3, []),
    expectAlerts(goneFrom(index) + 7, [alertOf(process, { namespace: "platform" })]),
    expectAlerts(goneFrom(index) + goneMinutes + 2, []),
  ]);
  const worker = { app: "events-svc", component: "worker" };
  return [
    { name: "each process is gone in turn", interval: "1m", input_series: outages, alert_rule_test: inTurn },
    {
      name: "no process has ever run",
      interval: "1m",
      input_series: [],
      alert_rule_test: [
        expectAlerts(
          7,
          processes.map((process) => alertOf(process, { job: "platform" })),
        ),
      ],
    },
    {
      name: "a worker is gone from staging and runs in production",
      interval: "1m",
      input_series: [
        ...processes.map((process) => seriesOf(process, "1x30")),
        seriesOf(worker, "1x10 _x20", "platform-staging"),
      ],
      alert_rule_test: [expectAlerts(20, [alertOf(worker, { namespace: "platform-staging" })])],
    },
  ];
}

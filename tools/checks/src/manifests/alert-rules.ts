import { readSource } from "../source-files.ts";
import { podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly runbook_url?: string };
};

/** Requires a severity for every alert, and a link to a section of docs/operations.md. */
export function checkAlerts({ spec }: KubernetesObject): string[] {
  const sections = new Set(
    [...readSource("docs/operations.md").matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name.toLowerCase()),
  );
  return (spec.groups as { rules: Rule[] }[]).flatMap(({ rules }) =>
    rules.flatMap(({ alert, expr, labels, annotations }) => {
      const section = /\/operations\.md#(\w+)$/.exec(annotations?.runbook_url ?? "")?.[1];
      return [
        ...(["page", "ticket", "info"].includes(labels?.severity ?? "") ? [] : [`${alert} has no severity`]),
        // An alert about a failing provider need not page anyone, because the platform cannot repair a provider, and bulkheads resume by themselves.
        ...(expr.includes("platform_notify_paused_bulkheads") && labels?.severity === "page"
          ? [`${alert} wakes people for paused bulkheads`]
          : []),
        ...(section !== undefined && sections.has(section)
          ? []
          : [`${alert} leads to no section of docs/operations.md`]),
      ];
    }),
  );
}

/**
 * Requires, in an environment with alerts, that an alert fires for each Deployment without processes or without an
 * available replica, and for each Job that fails.
 */
export function checkProcessesHeard(objects: readonly KubernetesObject[]): string[] {
  const rules = objects
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap(({ spec }) => (spec.groups as { rules: Rule[] }[]).flatMap((group) => group.rules));
  if (rules.length === 0) return [];
  const missed = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/absent_over_time\(up\{job="platform",app="([^"]+)",component="([^"]+)"\}\[/g)].map(
      ([, app, component]) => `${app} ${component}`,
    ),
  );
  const isSelected = (metric: string, label: string, name: string): boolean =>
    rules.some(({ expr }) => {
      const pattern = new RegExp(`${metric}\\{[^}]*${label}=~"([^"]+)"`).exec(expr)?.[1];
      return pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(name);
    });
  return objects.flatMap((object) => {
    const { name } = object.metadata;
    if (object.kind === "Deployment") {
      const { labels } = podOf(object).metadata;
      const process = `${labels["app.kubernetes.io/name"]} ${labels["app.kubernetes.io/component"]}`;
      return [
        ...(missed.includes(process) ? [] : [`no alert tells that ${process} is gone`]),
        ...(isSelected("kube_deployment_status_replicas_available", "deployment", name)
          ? []
          : [`no alert tells that ${name} has no available replica`]),
      ];
    }
    const jobName = { Job: name, CronJob: `${name}-29400135` }[object.kind];
    if (jobName === undefined || isSelected("kube_job_failed", "job_name", jobName)) return [];
    return [`no alert tells that the Job ${jobName} failed`];
  });
}

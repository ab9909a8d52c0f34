import { parseImage } from "./image-name.ts";
import { type Container, jobOf, podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Rule = { readonly alert: string; readonly expr: string };
type Egress = {
  readonly to?: readonly { readonly namespaceSelector?: object }[];
  readonly ports?: readonly { readonly port: number }[];
};

const appLabel = "app.kubernetes.io/name";
const nameOf = (pod: ReturnType<typeof podOf>): string => pod.metadata.labels[appLabel] ?? "";

/** Tasks of a service's CronJobs, by the suffix of their names. */
const cronJobActs = { backup: "add", "restore-drill": "drill" } as const;

/**
 * Requires that the backup image of a service belongs to the same release as the service, so that it knows the same collections.
 */
function isItsBackupImage(image: string, ofService: string): boolean {
  const [backup, own] = [parseImage(image), parseImage(ofService)];
  return backup.repository === `${own.repository}-backup` && backup.tag === own.tag;
}

/**
 * Requires CronJobs of the backup image that back up each service with a database every night and restore the backup
 * every month. Their pods have no other permissions, and an alert fires if a backup is missing.
 */
export function checkBackups(objects: readonly KubernetesObject[]): string[] {
  const deployments = objects.filter(({ kind }) => kind === "Deployment");
  const cronJobs = objects.filter(({ kind }) => kind === "CronJob");
  const withDatabase = deployments.filter((one) => hasVariable(podOf(one).spec.containers[0], "MONGODB_URI"));
  const apps = new Map(withDatabase.map((one) => [nameOf(podOf(one)), podOf(one).spec.containers[0]?.image]));
  return [
    ...[...apps].flatMap(([app, image]) => {
      const isIts = (one: KubernetesObject, name: string, act: string): boolean => {
        const [container] = podOf(jobOf(one)).spec.containers;
        return (
          one.metadata.name === `${app}-${name}` &&
          isItsBackupImage(container?.image ?? "", image ?? "") &&
          container?.args?.join() === `src/backup.ts,${act}`
        );
      };
      return Object.entries(cronJobActs).flatMap(([name, act]) =>
        cronJobs.some((one) => isIts(one, name, act)) ? [] : [`${app} has no CronJob ${name} by its backup image`],
      );
    }),
    ...cronJobs.flatMap((one) =>
      checkBackup(one, objects, deployments).map((problem) => `CronJob ${one.metadata.name}: ${problem}`),
    ),
  ];
}

const hasVariable = (container: Container | undefined, name: string): boolean =>
  container?.env?.some((variable) => variable.name === name) === true;

function checkBackup(
  cronJob: KubernetesObject,
  objects: readonly KubernetesObject[],
  deployments: readonly KubernetesObject[],
): string[] {
  const { spec, metadata } = cronJob;
  const pod = podOf(jobOf(cronJob));
  const account = pod.spec.serviceAccountName;
  const policies = objects.filter(
    (one) => one.kind === "NetworkPolicy" && one.spec.podSelector.matchLabels?.[appLabel] === nameOf(pod),
  );
  const ports = policies.flatMap((one) => ((one.spec.egress ?? []) as Egress[]).flatMap((rule) => rule.ports ?? []));
  const alerts = objects
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap((one) => (one.spec.groups as { rules: Rule[] }[]).flatMap(({ rules }) => rules));
  const tells = ({ expr }: Rule): boolean => {
    const pattern = /kube_cronjob_status_last_successful_time\{cronjob=~"([^"]+)"\}/.exec(expr)?.[1];
    return pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(metadata.name);
  };
  const rules: [boolean, string][] = [
    [spec.concurrencyPolicy === "Forbid", "may run beside itself"],
    [spec.suspend !== true, "is suspended"],
    [spec.timeZone !== undefined, "names no time zone"],
    [spec.startingDeadlineSeconds > 0, "is not caught up after a control plane that was away"],
    [spec.successfulJobsHistoryLimit > 0 && spec.failedJobsHistoryLimit > 0, "keeps no Jobs to look at"],
    [
      !deployments.some((one) => podOf(one).spec.serviceAccountName === account),
      `shares the ServiceAccount ${account}, by which a serving process could remove backups`,
    ],
    [hasVariable(pod.spec.containers[0], "BACKUP_PLACE"), "has no BACKUP_PLACE"],
    [ports.some(({ port }) => port === 27_017), "is let to no database by a NetworkPolicy of its own"],
    [
      policies.every((one) => (one.spec.policyTypes as string[]).includes("Ingress") && one.spec.ingress === undefined),
      "may be called",
    ],
    // Only environments with monitoring have alerts.
    [alerts.length === 0 || alerts.some(tells), "no alert tells that it has not succeeded for long"],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}

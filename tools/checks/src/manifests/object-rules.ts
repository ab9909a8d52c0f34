import { containersOf, podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

/** Requires that every object has labels with the name and the part of its app, and that everything in it to which other objects refer has a name. */
export function checkNames(object: KubernetesObject): string[] {
  const { kind, metadata, spec } = object;
  const ports: { name?: string }[] = kind === "Service" ? spec.ports : [];
  return [
    ...(metadata.name === undefined || metadata.name === "" ? ["has no name"] : []),
    ...["app.kubernetes.io/name", "app.kubernetes.io/part-of"]
      .filter((label) => metadata.labels?.[label] === undefined)
      .map((label) => `has no label ${label}`),
    ...ports.filter(({ name }) => name === undefined).map(() => "has a port without a name"),
  ];
}

/**
 * Requires that the name of a ConfigMap contains the hash of its content, so that a change creates new pods, and an older overlay restores the older
 * configuration.
 */
export function checkConfigurationNames(deployment: KubernetesObject): string[] {
  const read = containersOf(podOf(deployment)).flatMap(({ env = [] }) =>
    env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  );
  return [...new Set(read)]
    .filter((name) => name !== undefined && !/-[a-z0-9]{10}$/.test(name))
    .map((name) => `reads ConfigMap ${name}, which is not named by its content`);
}

/** How cloud providers associate a ServiceAccount with an identity. */
const workloadIdentities = [
  "eks.amazonaws.com/role-arn",
  "iam.gke.io/gcp-service-account",
  "azure.workload.identity/client-id",
];

/**
 * Requires a workload identity for the S3 of a cloud provider, without a key in a Secret; only a self-hosted store
 * needs keys.
 */
export function checkWorkloadIdentity(objects: readonly KubernetesObject[]): string[] {
  const endpoints = (variable: string): string[] =>
    objects.flatMap(({ kind, data }) => (kind === "ConfigMap" ? [data?.[variable] ?? ""] : []));
  const isCloud = (variable: string): boolean =>
    endpoints(variable).some((endpoint) => endpoint.startsWith("https://"));
  return objects
    .filter(({ kind, metadata: { name } }) => {
      if (kind !== "ServiceAccount") return false;
      if (name.endsWith("-backup")) return isCloud("BACKUP_S3_ENDPOINT");
      return name === "files-svc" && isCloud("S3_ENDPOINT");
    })
    .filter(({ metadata }) => !workloadIdentities.some((name) => metadata.annotations?.[name] !== undefined))
    .map(({ metadata: { name } }) => `ServiceAccount ${name}: has no workload identity for S3`);
}

/**
 * Requires that every process uses its app's optional Secret for external stores: variables, and files below /engines.
 */
export function checkEngines(workload: KubernetesObject): string[] {
  const { metadata, spec } = podOf(workload);
  const app = (metadata.labels["app.kubernetes.io/name"] ?? "").replace(/-backup$/, "");
  const name = `${app}-engines`;
  const volume = spec.volumes?.find(({ secret }) => secret?.secretName === name && secret.optional === true);
  return spec.containers.flatMap(({ name: container, envFrom = [], volumeMounts = [] }) => [
    ...(envFrom.some(({ secretRef }) => secretRef?.name === name && secretRef.optional === true)
      ? []
      : [`container ${container} takes no variables from the optional Secret ${name}`]),
    ...(volumeMounts.some((mount) => mount.name === volume?.name && mount.mountPath === "/engines")
      ? []
      : [`container ${container} has no files of the optional Secret ${name} at /engines`]),
  ]);
}

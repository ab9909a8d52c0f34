import { containersOf, podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

/** Every object says what it is called and what it belongs to, and everything in it that others refer to has a name. */
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

/** A ConfigMap that is read is named by its content: a change makes new pods, and an older overlay brings the older configuration back. */
export function checkConfigurationNames(deployment: KubernetesObject): string[] {
  const read = containersOf(podOf(deployment)).flatMap(({ env = [] }) =>
    env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  );
  return [...new Set(read)]
    .filter((name) => name !== undefined && !/-[a-z0-9]{10}$/.test(name))
    .map((name) => `reads ConfigMap ${name}, which is not named by its content`);
}

/** How the clouds tie a ServiceAccount to an identity of theirs. */
const workloadIdentities = [
  "eks.amazonaws.com/role-arn",
  "iam.gke.io/gcp-service-account",
  "azure.workload.identity/client-id",
];

/** files-svc reaches a cloud's S3 by a workload identity, and no key of it is kept in a Secret; only a store of one's own needs keys. */
export function checkWorkloadIdentity(objects: readonly KubernetesObject[]): string[] {
  const account = objects.find(({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === "files-svc");
  const endpoints = objects
    .filter(({ kind }) => kind === "ConfigMap")
    .map(({ data }) => data?.S3_ENDPOINT)
    .filter((endpoint) => endpoint !== undefined);
  if (account === undefined || !endpoints.some((endpoint) => endpoint.startsWith("https://"))) return [];
  const annotations = account.metadata.annotations ?? {};
  return workloadIdentities.some((name) => annotations[name] !== undefined)
    ? []
    : ["ServiceAccount files-svc: has no workload identity for S3"];
}

import { type KubernetesObject, renderOverlay } from "@platform/checks/manifests/render-overlay";
import { eventually } from "@platform/test-kit/eventually";
import { deploymentsIn, isRolledOut, type Live, list, podsIn } from "../cluster/api.ts";
import type { Cluster } from "../cluster/control-plane.ts";
import { node } from "../cluster/machine.ts";
import type { Issuer } from "./certificates.ts";
import { appSecrets, type Secrets, storeSecret } from "./secrets.ts";

/** Address of an environment from outside of the cluster: the port of its gateway on the node. */
export const baseUrl = `http://${node.address}:25600`;

export type Environment = {
  readonly namespace: string;
  readonly objects: readonly KubernetesObject[];
  /** Seconds from the apply until each Deployment was available. */
  readonly readySeconds: ReadonlyMap<string, number>;
};

/** Applies the development stores unchanged and waits until all of them are ready. */
export async function deployStores(cluster: Cluster, secrets: Secrets): Promise<ReadonlyMap<string, number>> {
  const objects = await renderOverlay("k8s/dev-stores");
  await cluster.apply(objects.filter(({ kind }) => kind === "Namespace"));
  await cluster.apply([storeSecret(secrets)]);
  await cluster.apply(objects);
  return waitUntilReady(cluster, "platform-stores", performance.now());
}

/** Empties the stores, because every environment starts with empty stores. */
export async function emptyStores(cluster: Cluster): Promise<void> {
  await cluster.kubectl(["-n", "platform-stores", "delete", "pods", "--all", "--grace-period=2"]);
  await waitUntilReady(cluster, "platform-stores", performance.now());
}

/** Renders an overlay with the addresses and stores of this cluster. */
export async function renderHere(folder: string): Promise<KubernetesObject[]> {
  const objects = structuredClone(await renderOverlay(folder)) as KubernetesObject[];
  for (const { kind, data } of objects) {
    if (kind !== "ConfigMap" || data === undefined) continue;
    Object.assign(data, {
      PUBLIC_BASE_URL: baseUrl,
      S3_ENDPOINT: "http://s3.platform-stores:9000",
      BACKUP_S3_ENDPOINT: "http://s3.platform-stores:9000",
    });
  }
  return objects;
}

/** Applies a whole overlay and waits until every process is ready. */
export async function deployOverlay(
  cluster: Cluster,
  name: string,
  { issuer, secrets }: { readonly issuer: Issuer; readonly secrets: Secrets },
): Promise<Environment> {
  const objects = await renderHere(`k8s/overlays/${name}`);
  const namespace = `platform-${name}`;
  await cluster.apply(objects.filter(({ kind }) => kind === "Namespace"));
  await cluster.apply([...appSecrets(namespace, secrets), ...(await issuer.secretsOf(objects))]);
  await cluster.apply(outsideOf(namespace));
  const startedAtMs = performance.now();
  await cluster.apply(objects);
  return { namespace, objects, readySeconds: await waitUntilReady(cluster, namespace, startedAtMs) };
}

/**
 * Returns the additional objects that every environment needs in this cluster: a port of the node for the gateway, and NetworkPolicies between the
 * environment and the stores.
 */
function outsideOf(namespace: string): KubernetesObject[] {
  const stores = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "platform-stores" } } };
  const environment = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "outside", namespace },
      spec: {
        type: "NodePort",
        selector: { "app.kubernetes.io/name": "gateway", "app.kubernetes.io/component": "server" },
        ports: [{ name: "http", port: 80, targetPort: "http", nodePort: 25600 }],
      },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "stores-here", namespace },
      spec: {
        podSelector: { matchLabels: { "app.kubernetes.io/part-of": "platform" } },
        policyTypes: ["Egress"],
        egress: [{ to: [stores], ports: [{ port: 9000 }, { port: 1025 }] }],
      },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: `from-${namespace}`, namespace: "platform-stores" },
      spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from: [environment] }] },
    },
  ];
}

/** Waits until every Deployment of a namespace is available. Rejects with the state of the pods that are not ready. */
export async function waitUntilReady(
  cluster: Cluster,
  namespace: string,
  startedAtMs: number,
): Promise<ReadonlyMap<string, number>> {
  const seconds = new Map<string, number>();
  await eventually(
    async () => {
      const deployments = await list(cluster, deploymentsIn(namespace));
      for (const one of deployments.filter(isRolledOut))
        if (!seconds.has(one.metadata.name))
          seconds.set(one.metadata.name, Math.round((performance.now() - startedAtMs) / 100) / 10);
      return deployments.length > 0 && deployments.every(isRolledOut);
    },
    { timeoutMs: 600_000, everyMs: 1_000, what: `${namespace} is ready` },
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await storyOf(cluster, namespace)}`);
  });
  return seconds;
}

/** Returns the state and the last log lines of pods that are not ready, and the warnings of their namespace. */
export async function storyOf(cluster: Cluster, namespace: string): Promise<string> {
  const isReady = ({ status }: Live): boolean =>
    status.phase === "Succeeded" ||
    (status.conditions ?? []).some(
      (one: { type: string; status: string }) => one.type === "Ready" && one.status === "True",
    );
  const waiting = (await list(cluster, podsIn(namespace))).filter((pod) => !isReady(pod));
  const stories = await Promise.all(
    waiting.slice(0, 5).map(async ({ metadata: { name }, status }) => {
      const logs = await cluster
        .kubectl(["-n", namespace, "logs", name, "--tail=15"])
        .catch((error: Error) => error.message);
      return `${name}: ${JSON.stringify(status.containerStatuses ?? status.conditions)}\n${logs}`;
    }),
  );
  const events = await cluster
    .kubectl(["-n", namespace, "get", "events", "--field-selector=type=Warning", "--no-headers"])
    .catch((error: Error) => error.message);
  return [...stories, events.split("\n").slice(-20).join("\n")].join("\n");
}

import { containersOf, podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Labels = Readonly<Record<string, string>>;
type Peer = {
  readonly podSelector?: { readonly matchLabels?: Labels };
  readonly namespaceSelector?: { readonly matchLabels?: Labels };
  readonly ipBlock?: { readonly cidr: string };
};
type EgressRule = { readonly to?: readonly Peer[]; readonly ports?: readonly { readonly port: number | string }[] };

const hasAll = (wanted: Labels = {}, labels: Labels): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** An address that a process receives: a Service, a store in another namespace, or a host outside the cluster. */
type Target =
  | { readonly kind: "pod"; readonly labels: Labels; readonly ports: readonly (number | string)[] }
  | { readonly kind: "namespace"; readonly name: string; readonly ports: readonly number[] }
  | { readonly kind: "outside"; readonly ports: readonly number[] };

/** Targets of settings that may be empty. For an identity provider, only the port is known. */
const standIns: Readonly<Record<string, string>> = {
  OPERATOR_OIDC_ISSUER: "https://identity-provider.example",
  MEMBERS_OIDC_ISSUER: "https://identity-provider.example",
  ALERTMANAGER_URL: "http://alertmanager-operated.monitoring:9093",
  PROMETHEUS_URL: "http://prometheus-operated.monitoring:9090",
};

/**
 * Requires a NetworkPolicy that allows the pod to call each address in its settings. Without one, packets are dropped
 * silently.
 */
export function checkReach(deployment: KubernetesObject, objects: readonly KubernetesObject[]): string[] {
  const pod = podOf(deployment);
  const rules = objects
    .filter(({ kind, spec }) => kind === "NetworkPolicy" && hasAll(spec.podSelector.matchLabels, pod.metadata.labels))
    .flatMap(({ spec }) => (spec.egress ?? []) as EgressRule[]);
  const problems = containersOf(pod).flatMap(({ env = [] }) =>
    env.flatMap(({ name, value, valueFrom }) => {
      const map = objects.find(({ metadata }) => metadata.name === valueFrom?.configMapKeyRef?.name);
      const text = value ?? map?.data?.[valueFrom?.configMapKeyRef?.key ?? ""];
      const address = text === "" ? (standIns[name] ?? text) : text;
      const target = address === undefined ? null : targetOf(name, address, objects);
      return target === null || rules.some((rule) => lets(rule, target))
        ? []
        : [`${name} (${address}, port ${target.ports[0]}): no NetworkPolicy lets it call`];
    }),
  );
  return [...new Set(problems)];
}

function targetOf(name: string, text: string, objects: readonly KubernetesObject[]): Target | null {
  // Public URLs are for browsers only.
  if (/^(PUBLIC|CONSOLE)_BASE_URL$/.test(name) || !/^([a-z]+:\/\/)?[\w.-]+(:\d+)?(\/.*)?$/.test(text)) return null;
  const isAddress = /_(GRPC|HTTP)$/.test(name);
  if (!isAddress && !text.includes("://")) return null;
  const { hostname, port, protocol } = new URL(isAddress ? `tcp://${text}` : text);
  const number = Number(port === "" ? (protocol === "http:" ? 80 : 443) : port);
  const service = objects.find((one) => one.kind === "Service" && one.metadata.name === hostname);
  if (service !== undefined) {
    const named = (service.spec.ports as { port: number; targetPort: string }[]).find((one) => one.port === number);
    return { kind: "pod", labels: service.spec.selector, ports: [number, ...(named ? [named.targetPort] : [])] };
  }
  const [, namespace] = /^[a-z0-9-]+\.([a-z0-9-]+)$/.exec(hostname) ?? [];
  // A name with one dot is a Service of another namespace; names outside the cluster have a public top-level domain.
  return namespace !== undefined && /^(platform-stores|monitoring)$/.test(namespace)
    ? { kind: "namespace", name: namespace, ports: [number] }
    : { kind: "outside", ports: [number] };
}

function lets({ to = [], ports = [] }: EgressRule, target: Target): boolean {
  if (!ports.some(({ port }) => (target.ports as readonly (number | string)[]).includes(port))) return false;
  return to.some(({ podSelector, namespaceSelector, ipBlock }) => {
    if (target.kind === "outside") return ipBlock !== undefined;
    if (target.kind === "namespace")
      return namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"] === target.name;
    return (
      namespaceSelector === undefined && podSelector !== undefined && hasAll(podSelector.matchLabels, target.labels)
    );
  });
}

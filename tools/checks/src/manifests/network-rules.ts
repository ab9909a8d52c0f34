import { serviceNames } from "@platform/contracts/services";
import { readSource, sourceFiles } from "../source-files.ts";
import { podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

type Labels = Readonly<Record<string, string>>;

const appLabel = "app.kubernetes.io/name";
const matches = (selector: Labels | undefined, labels: Labels): boolean =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);

/** True for services, and false for the gateway and the console, which browsers and clients call. */
const isService = (labels: Labels): boolean => labels[appLabel]?.endsWith("-svc") === true;

/**
 * Requires that every Service leads to ports that its pods have, and that every address of the ConfigMap is a Service
 * at a port that it has.
 */
export function checkServices(objects: readonly KubernetesObject[]): string[] {
  const services = objects.filter(({ kind }) => kind === "Service");
  const pods = objects.filter(({ kind }) => kind === "Deployment").map(podOf);
  const problems = services.flatMap(({ metadata, spec }) => {
    const selected = pods.filter((pod) => matches(spec.selector, pod.metadata.labels));
    const names = new Set(
      selected.flatMap(({ spec: { containers } }) =>
        containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)),
      ),
    );
    if (selected.length === 0) return [`Service ${metadata.name} selects no pod`];
    // Requires mutual TLS at every port of a service except the one for other mail servers. TLS to the gateway and the
    // console ends at the proxy in front of them.
    const protocolOf = (port: string): string => {
      if (port === "smtp") return "smtp";
      return isService(spec.selector) ? "https" : "http";
    };
    return (spec.ports as { name: string; targetPort: string; appProtocol?: string }[]).flatMap((port) => [
      ...(names.has(port.targetPort) ? [] : [`Service ${metadata.name}: its pods have no port ${port.targetPort}`]),
      ...(port.appProtocol === protocolOf(port.name)
        ? []
        : [
            `Service ${metadata.name}: port ${port.name} has appProtocol ${port.appProtocol}, not ${protocolOf(port.name)}`,
          ]),
    ]);
  });
  // Each app has a ConfigMap with a copy of the addresses, and all copies are checked.
  const addresses = objects.filter(({ kind }) => kind === "ConfigMap").flatMap(({ data = {} }) => Object.entries(data));
  for (const [name, address] of addresses) {
    if (!/_(GRPC|HTTP)$/.test(name)) continue;
    const [host, port] = address.split(":");
    const service = services.find(({ metadata }) => metadata.name === host);
    const hasPort = (service?.spec.ports as { port: number }[] | undefined)?.some((one) => String(one.port) === port);
    if (hasPort !== true) problems.push(`ConfigMap: ${name} is ${address}, which is no Service`);
  }
  return problems;
}

/**
 * Requires that NetworkPolicies admit the same callers to each service's gRPC port as its code admits by certificate.
 */
export function checkNetworkPolicies(objects: readonly KubernetesObject[]): string[] {
  const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
  return objects
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((deployment) => {
      const { labels } = podOf(deployment).metadata;
      const own = policies.filter(
        ({ spec }) => appLabel in (spec.podSelector.matchLabels ?? {}) && matches(spec.podSelector.matchLabels, labels),
      );
      if (own.length === 0) return [`${deployment.metadata.name}: no NetworkPolicy selects its pods`];
      if (labels["app.kubernetes.io/component"] !== "server" || !isService(labels)) return [];
      const hasHttp = podOf(deployment).spec.containers.some(({ ports = [] }) =>
        ports.some(({ name }) => name === "http"),
      );
      const expected = { grpc: [...callersInCode(labels[appLabel] ?? "")], http: hasHttp ? ["gateway"] : [] };
      return Object.entries(expected).flatMap(([port, callers]) => {
        const [have, want] = [allowedAt(own, port).sort(), callers.sort()];
        const { name } = deployment.metadata;
        return have.join() === want.join()
          ? []
          : [`${name}: the NetworkPolicy lets ${have.join(", ")} to port ${port}; the code lets in ${want.join(", ")}`];
      });
    });
}

/** Returns the apps of the same namespace that policies admit to a port. */
function allowedAt(policies: readonly KubernetesObject[], name: string): string[] {
  type Rule = { from: { podSelector?: { matchLabels: Labels } }[]; ports: { port: string }[] };
  return policies
    .flatMap(({ spec }) => (spec.ingress ?? []) as Rule[])
    .filter(({ ports }) => ports.some(({ port }) => port === name))
    .flatMap(({ from }) => from.map(({ podSelector }) => podSelector?.matchLabels[appLabel]))
    .filter((app) => app !== undefined);
}

const allServices = serviceNames.map((name) => `${name}-svc`);

/**
 * Returns the callers that an app's guards admit. A service without a guard admits the gateway. Every service also admits operators, because the kit serves
 * RPCs for them.
 */
function callersInCode(app: string): Set<string> {
  const callers = new Set(["gateway", "operator", "console"]);
  for (const file of sourceFiles().filter((path) => path.startsWith(`apps/${app}/src/`))) {
    const text = readSource(file);
    for (const [, names = ""] of text.matchAll(/callerGuard\(([^)]*)\)/g)) {
      for (const [, name = ""] of names.matchAll(/"([a-z-]+)"/g)) callers.add(name);
      if (names.includes("...serviceCallers")) for (const name of allServices) callers.add(name);
      if (names.includes("...otherServices"))
        for (const name of allServices.filter((one) => one !== app)) callers.add(name);
    }
  }
  return callers;
}

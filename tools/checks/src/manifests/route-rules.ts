import type { KubernetesObject } from "./render-overlay.ts";

type Filter = { readonly type: string; readonly requestRedirect?: { readonly scheme?: string } };
type Rule = { readonly filters?: readonly Filter[]; readonly timeouts?: { readonly request?: string } };
type Parent = { readonly name: string; readonly sectionName?: string };
type Listener = { readonly name: string; readonly protocol: string };

/**
 * Routes whose requests last as long as data flows: transfers, and the console's live tails. A time limit would
 * interrupt them.
 */
const lasting = ["console", "gateway-transfers"];

/**
 * Requires that each Gateway serves only HTTPS and redirects from HTTP, and that no proxy ends long-lived connections.
 */
export function checkRoutes(objects: readonly KubernetesObject[]): string[] {
  const routes = objects.filter(({ kind }) => kind === "HTTPRoute");
  const protocolOf = ({ name, sectionName }: Parent): string | undefined => {
    const gateway = objects.find(({ kind, metadata }) => kind === "Gateway" && metadata.name === name);
    return ((gateway?.spec.listeners ?? []) as Listener[]).find((one) => one.name === sectionName)?.protocol;
  };
  const isRedirect = ({ spec }: KubernetesObject): boolean =>
    (spec.rules as Rule[]).every(({ filters = [] }) =>
      filters.some(({ type, requestRedirect }) => type === "RequestRedirect" && requestRedirect?.scheme === "https"),
    );
  const attached = (route: KubernetesObject, name: string, protocol: string): boolean =>
    (route.spec.parentRefs as Parent[]).some((parent) => parent.name === name && protocolOf(parent) === protocol);
  return [
    ...objects
      .filter(({ kind }) => kind === "Gateway")
      .filter(({ metadata: { name } }) => !routes.some((route) => isRedirect(route) && attached(route, name, "HTTP")))
      .map(({ metadata }) => `Gateway ${metadata.name}: nothing redirects from HTTP to HTTPS`),
    ...routes
      .filter((route) => !isRedirect(route))
      .filter(({ spec }) => !(spec.parentRefs as Parent[]).every((parent) => protocolOf(parent) === "HTTPS"))
      .map(({ metadata }) => `HTTPRoute ${metadata.name}: serves without TLS`),
    ...routes
      .filter(
        ({ metadata, spec }) =>
          lasting.includes(metadata.name) &&
          !(spec.rules as Rule[]).every(({ timeouts }) => timeouts?.request === "0s"),
      )
      .map(({ metadata }) => `HTTPRoute ${metadata.name}: cuts what may last; set timeouts.request to 0s`),
  ];
}

/**
 * Requires that an overlay named staging or production sets the environment of its processes, which then refuse to
 * start without settings that are optional in development.
 */
export function checkDeploymentEnvironment(overlay: string, objects: readonly KubernetesObject[]): string[] {
  if (!["staging", "production"].includes(overlay)) return [];
  return objects
    .filter(({ kind, data }) => kind === "ConfigMap" && data !== undefined && "LOG_LEVEL" in data)
    .filter(({ data }) => data?.DEPLOYMENT_ENVIRONMENT !== overlay)
    .map(
      ({ metadata, data }) =>
        `ConfigMap ${metadata.name}: DEPLOYMENT_ENVIRONMENT is ${data?.DEPLOYMENT_ENVIRONMENT}, not ${overlay}`,
    );
}

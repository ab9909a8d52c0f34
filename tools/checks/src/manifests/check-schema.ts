import type { KubernetesObject } from "./render-overlay.ts";

type Model = { readonly prototype: { validate(this: unknown): void } };

/** Packages with the schemas of API groups that do not belong to Kubernetes itself. */
const packages: Readonly<Record<string, string>> = {
  "cert-manager.io": "cert-manager",
  "external-secrets.io": "external-secrets",
  "gateway.networking.k8s.io": "gateway-api",
  "keda.sh": "keda",
  "kyverno.io": "kyverno",
};

/** Returns the package that contains the published schemas of an API group. */
function moduleOf(apiVersion: string): string {
  const [group = ""] = apiVersion.split("/");
  const own = packages[group];
  return `${own === undefined ? "kubernetes-models" : `@kubernetes-models/${own}`}/${apiVersion}`;
}

/**
 * Validates an object against the schema that Kubernetes (or cert-manager) publishes for its kind, strictly: a field
 * that the schema does not know is a problem as well, as it is for `kubectl apply --validate=strict`.
 */
export async function checkSchema(object: KubernetesObject): Promise<string[]> {
  // No package contains the schemas of the Prometheus Operator; `make test-engines` applies these objects to its
  // CustomResourceDefinitions.
  if (object.apiVersion.startsWith("monitoring.coreos.com/")) return [];
  let models: Record<string, Model>;
  try {
    models = (await import(moduleOf(object.apiVersion))) as Record<string, Model>;
  } catch {
    return [`no schema of ${object.apiVersion} is known`];
  }
  const Kind = models[object.kind];
  if (Kind === undefined) return [`${object.apiVersion} has no kind ${object.kind}`];
  const unread = new Set<string>();
  try {
    // Called on the object itself, because the constructor of the schema would copy it and read every field.
    Kind.prototype.validate.call(watchReads(object, "", unread));
  } catch (error) {
    return [(error as Error).message];
  }
  return [...unread].map((path) => `unknown field ${path}`);
}

/**
 * Creates a proxy that records unread fields. The published schemas are compiled functions that read the fields they know and ignore the others, so an unread
 * field is unknown.
 */
function watchReads<T>(value: T, path: string, unread: Set<string>): T {
  if (typeof value !== "object" || value === null) return value;
  const watched: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    unread.add(`${path}/${key}`);
    watched[key] = watchReads(child, `${path}/${key}`, unread);
  }
  const target = Array.isArray(value) ? Object.values(watched) : watched;
  return new Proxy(target, {
    get: (read, key) => {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(read, key) as unknown;
    },
  }) as T;
}

import type { NamedOperation } from "@platform/contracts/operations";

/** What a path leads to. */
export type RouteMatch =
  | {
      readonly kind: "operation";
      readonly operation: NamedOperation;
      readonly rawParams: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "method_not_allowed";
      readonly methods: readonly string[];
      readonly operations: readonly NamedOperation[];
    }
  | { readonly kind: "not_found" };

type Route = { readonly segments: readonly string[]; readonly byMethod: Map<string, NamedOperation> };

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Finds operations by method and path below /api/v1. Paths without parameters are one look-up; the others are few and tried in turn. HEAD
 * is answered wherever GET is (RFC 9110, 9.3.2).
 */
export function createRouteTable(operations: readonly NamedOperation[]) {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const shape = operation.path.replace(/\{[^}]+\}/g, "{}");
    const route = routes.get(shape) ?? { segments: operation.path.split("/").slice(1), byMethod: new Map() };
    route.byMethod.set(operation.method, operation);
    if (operation.method === "GET") route.byMethod.set("HEAD", operation);
    routes.set(shape, route);
  }
  const withParams = [...routes].filter(([shape]) => shape.includes("{}")).map(([, route]) => route);

  const find = (path: string): { route: Route; rawParams: Readonly<Record<string, string>> } | null => {
    const exact = routes.get(path);
    if (exact !== undefined && !path.includes("{}")) return { route: exact, rawParams: noParams };
    const segments = path.split("/").slice(1);
    for (const route of withParams) {
      const rawParams = matchSegments(route.segments, segments);
      if (rawParams !== null) return { route, rawParams };
    }
    return null;
  };

  return (method: string, path: string): RouteMatch => {
    const found = find(path);
    if (found === null) return { kind: "not_found" };
    const operation = found.route.byMethod.get(method);
    if (operation !== undefined) return { kind: "operation", operation, rawParams: found.rawParams };
    const { byMethod } = found.route;
    return { kind: "method_not_allowed", methods: [...byMethod.keys()], operations: [...byMethod.values()] };
  };
}

function matchSegments(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith("{")) {
      if (segment === "") return null;
      params[part.slice(1, -1)] = decodeSegment(segment);
    } else if (part !== segment) {
      return null;
    }
  }
  return params;
}

/** The segment decoded; as it stands when it is no valid encoding, which no parameter's schema then accepts. */
function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

import type { Operation } from "./operation.ts";
import { adsOperations } from "./operations/ads.ts";
import { edgeOperations } from "./operations/edge.ts";
import { eventsOperations } from "./operations/events.ts";
import { filesOperations } from "./operations/files.ts";
import { identityOperations } from "./operations/identity.ts";
import { notifyOperations } from "./operations/notify.ts";
import { pageOperations } from "./operations/pages.ts";

/** The families of published operations, in the order in which documents list them. */
export const operationFamilies = [
  edgeOperations,
  identityOperations,
  filesOperations,
  notifyOperations,
  eventsOperations,
  adsOperations,
] as const;

/** Every operation of the public API by its id. All lists of operations derive from this one. */
export const operations = {
  ...edgeOperations,
  ...identityOperations,
  ...filesOperations,
  ...notifyOperations,
  ...eventsOperations,
  ...adsOperations,
};

export type OperationId = keyof typeof operations;

/** A published operation together with its id. */
export type NamedOperation = Operation & { readonly id: OperationId };

/** An operation that the gateway routes, together with its id. */
export type RoutedOperation = Operation & { readonly id: OperationId | keyof typeof pageOperations };

/** Every operation that the gateway routes: first the published ones, then pages and bytes behind links. */
export const routedOperations: readonly RoutedOperation[] = assertDistinct([...operationFamilies, pageOperations]);

/** The published operations as a list, each with its id. */
export const operationList: readonly NamedOperation[] = routedOperations.filter(
  (operation): operation is NamedOperation => operation.published !== false,
);

/**
 * Combines the operations of all families. Throws if two have the same id, or the same method and path regardless of
 * parameter names.
 */
export function assertDistinct(families: readonly Readonly<Record<string, Operation>>[]): RoutedOperation[] {
  const ids = new Set<string>();
  const routes = new Map<string, string>();
  return families.flatMap((family) =>
    Object.entries(family).map(([id, operation]) => {
      if (ids.has(id)) throw new Error(`Two operations have the id ${id}`);
      ids.add(id);
      const route = `${operation.method} ${operation.path.replace(/\{[^}]+\}/g, "{}")}`;
      const other = routes.get(route);
      if (other !== undefined) throw new Error(`${other} and ${id} are both ${route}`);
      routes.set(route, id);
      return { ...operation, id: id as RoutedOperation["id"] };
    }),
  );
}

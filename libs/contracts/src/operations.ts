import type { Operation } from "./operation.ts";
import { adsOperations } from "./operations/ads.ts";
import { edgeOperations } from "./operations/edge.ts";
import { eventsOperations } from "./operations/events.ts";
import { filesOperations } from "./operations/files.ts";
import { identityOperations } from "./operations/identity.ts";
import { notifyOperations } from "./operations/notify.ts";

/** The families of operations, in the order documents list them. */
export const operationFamilies = [
  edgeOperations,
  identityOperations,
  filesOperations,
  notifyOperations,
  eventsOperations,
  adsOperations,
] as const;

/** Every operation of the public API by its id. Everything that lists operations derives from this. */
export const operations = {
  ...edgeOperations,
  ...identityOperations,
  ...filesOperations,
  ...notifyOperations,
  ...eventsOperations,
  ...adsOperations,
};

export type OperationId = keyof typeof operations;

/** An operation together with its id. */
export type NamedOperation = Operation & { readonly id: OperationId };

/** The operations as a list, each with its id. */
export const operationList: readonly NamedOperation[] = assertDistinct(operationFamilies);

/** Lists the operations of `families`. Throws when two share an id, or a method and a path once parameters are left nameless. */
export function assertDistinct(families: readonly Readonly<Record<string, Operation>>[]): NamedOperation[] {
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
      return { ...operation, id: id as OperationId };
    }),
  );
}

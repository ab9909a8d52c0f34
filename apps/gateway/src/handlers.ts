import type { RoutedOperation } from "@platform/contracts/operations";
import { adsHandlers } from "./handlers/ads.ts";
import type { HealthProbe } from "./handlers/edge/get-health.ts";
import { edgeHandlers } from "./handlers/edge.ts";
import { eventsHandlers } from "./handlers/events.ts";
import { filesHandlers } from "./handlers/files.ts";
import { identityHandlers } from "./handlers/identity.ts";
import { notifyHandlers } from "./handlers/notify.ts";
import type { AnyHandler } from "./pipeline/handle.ts";

/** Returns the handler of every operation by the operation's id. */
export function joinHandlers(probe: HealthProbe): Readonly<Record<string, AnyHandler>> {
  return {
    ...edgeHandlers(probe),
    ...identityHandlers,
    ...filesHandlers,
    ...notifyHandlers,
    ...eventsHandlers,
    ...adsHandlers,
  } as unknown as Readonly<Record<string, AnyHandler>>;
}

/** Throws if an operation that needs a handler has none, or if a handler has no operation. */
export function assertComplete(
  operations: readonly RoutedOperation[],
  handlers: Readonly<Record<string, AnyHandler>>,
): void {
  const needed = new Set<string>(
    operations.filter((operation) => operation.transport === "call" && operation.served).map(({ id }) => id),
  );
  const missing = [...needed].filter((id) => handlers[id] === undefined);
  const unknown = Object.keys(handlers).filter((id) => !operations.some((operation) => operation.id === id));
  if (missing.length > 0 || unknown.length > 0) {
    throw new Error(
      `handlers do not match the operation table: missing [${missing.join(", ")}], unknown [${unknown.join(", ")}]`,
    );
  }
}

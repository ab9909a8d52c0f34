import type { edgeOperations } from "@platform/contracts/operations/edge";
import type { HandlersFor } from "../handler.ts";
import { getHealth, type HealthProbe } from "./edge/get-health.ts";
import { noop } from "./edge/noop.ts";

/** Returns the handlers of operations that the gateway itself serves. */
export function edgeHandlers(probe: HealthProbe): HandlersFor<typeof edgeOperations> {
  return { "edge.getHealth": getHealth(probe), "edge.noop": noop };
}

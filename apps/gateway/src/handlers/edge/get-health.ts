import type { edgeOperations } from "@platform/contracts/operations/edge";
import { contractRelease } from "@platform/contracts/operations/edge";
import type { Handler } from "../../handler.ts";

/** Current status of a component. */
export type ComponentStatus = "ok" | "degraded" | "down";

/** Queries every component for its status; each query is limited in time. */
export type HealthProbe = () => Promise<{ name: string; status: ComponentStatus }[]>;

/** GET /health: returns the status of each component and of the whole. The HTTP status is always 200. */
export function getHealth(probe: HealthProbe): Handler<(typeof edgeOperations)["edge.getHealth"]> {
  return async () => {
    const components = await probe();
    const allDown = components.every((component) => component.status === "down");
    const allOk = components.every((component) => component.status === "ok");
    return { data: { status: allOk ? "ok" : allDown ? "down" : "degraded", release: contractRelease, components } };
  };
}

import { measurementKey } from "@platform/service-kit/process/measurement";
import type { ServiceKit } from "@platform/service-kit/service/start-service";
import type { Stores } from "./store/stores.ts";

/** Counts, for each Project Client, the endpoints that become verified, revoked and so on. */
export function measureEndpoints(
  { endpoints }: Pick<Stores, "endpoints">,
  measure: ServiceKit<Stores>["measure"],
): void {
  endpoints.onStatus(({ projectClientId, status, channel }) =>
    measure.add(projectClientId, measurementKey("endpoint_changes", { to: status, channel }), 1),
  );
}

import type { PlatformKit } from "@platform/service-kit/platform-service/platform-kit";
import { measurementKey } from "@platform/service-kit/process/measurement";
import type { Stores } from "./store/stores.ts";

/** Counts, for each Project Client, the endpoints that become verified, revoked and so on. */
export function measureEndpoints(
  { endpoints }: Pick<Stores, "endpoints">,
  measure: PlatformKit<Stores>["measure"],
): void {
  endpoints.onStatus(({ projectClientId, status, channel }) =>
    measure.add(projectClientId, measurementKey("endpoint_changes", { to: status, channel }), 1),
  );
}

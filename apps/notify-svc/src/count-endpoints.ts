import type { Logger } from "@platform/kit/process/telemetry";
import { createUsageReporter, type UsageReporter } from "@platform/operator-plane/usage";
import type { Stores } from "./store/stores.ts";

const everyMs = 5_000;

/**
 * Counts for each Project Client the endpoints that reach a status, as usage of the kinds `endpoints_verified`, `endpoints_revoked` and so on. The
 * console plots them by day.
 */
export function countEndpoints(
  { endpoints, usage }: Pick<Stores, "endpoints" | "usage">,
  options: { readonly clock: () => Date; readonly logger: Logger },
): Pick<UsageReporter, "close"> {
  const reporter = createUsageReporter(usage.record, { everyMs, ...options });
  endpoints.onStatus(({ projectClientId, status }) => reporter.count(projectClientId, `endpoints_${status}`, 1));
  return reporter;
}

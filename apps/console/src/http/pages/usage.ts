import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type ServiceName, servicesThat } from "@platform/contracts/services";
import { isServiceError } from "@platform/kit/rpc/errors";
import { UsageAdminService, type UsageCount } from "@platform/proto/operator/v1/usage_admin";
import type { Series } from "../../plots/render-plot.ts";
import type { Visit } from "../visit.ts";
import { bytesOf, countOf } from "./elements.ts";
import { byDay, lastDays } from "./figure.ts";

/** Identifies the sums of all clients, in place of a client's id. */
export const everyClient = "";

const isInBytes = (resource: string): boolean => resource.endsWith("_bytes");

/** Returns the unit of a quota's resource, or of a kind of usage. */
export const unitOf = (resource: string): string => (isInBytes(resource) ? "bytes" : resource.replaceAll("_", " "));

/** Formats an amount of a quota's resource, with its unit unless the resource is counted in pieces. */
export const amountOf = (resource: string, count: bigint): string =>
  isInBytes(resource) ? bytesOf(count) : countOf(count);

const metering = servicesThat("quota usage");

/**
 * Returns the usage of a Project Client in the last `days` by UTC day, of the kinds for which `isWanted` returns true.
 */
export async function usageByDay(
  visit: Visit,
  clientId: string,
  days: number,
  isWanted: (kind: string) => boolean,
  services: readonly ServiceName[] = metering,
): Promise<Series[]> {
  const range = lastDays(days);
  const counts = await usageOf(visit, clientId, range[0] ?? new Date(), "day", services);
  return byDay(
    counts.filter(({ kind }) => isWanted(kind)),
    range,
    ({ at }) => (at === undefined ? null : timestampDate(at)),
    ({ kind }) => kind,
    ({ count }) => Number(count),
  );
}

/** Returns a client's counts from all services that have them. */
export async function usageOf(
  visit: Visit,
  clientId: string,
  since: Date,
  by: "hour" | "day",
  services: readonly ServiceName[] = metering,
): Promise<UsageCount[]> {
  const request = { projectClientId: clientId, since: timestampFromDate(since), by };
  const replies = await Promise.all(
    services.map((service) =>
      visit.ask(UsageAdminService.method.listUsage, request, { service }).catch((error: unknown) => {
        // If one service is unavailable, a plot of the other one is better than no page.
        if (isServiceError(error, "dependency_unavailable")) return { counts: [] };
        throw error;
      }),
    ),
  );
  return replies.flatMap(({ counts }) => counts);
}

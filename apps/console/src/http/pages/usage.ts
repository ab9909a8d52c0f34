import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageAdminService, type UsageCount } from "@platform/proto/operator/v1/usage_admin";
import { isServiceError } from "@platform/service-kit/errors/service-error";
import type { Series } from "../../plots/render-plot.ts";
import type { Visit } from "../visit.ts";
import { byDay, lastDays } from "./figure.ts";

/** What a Project Client used in the last `days`, by UTC day, of the kinds that `isWanted`. */
export async function usageByDay(
  visit: Visit,
  clientId: string,
  days: number,
  isWanted: (kind: string) => boolean,
): Promise<Series[]> {
  const range = lastDays(days);
  const counts = await usageOf(visit, clientId, range[0] ?? new Date(), "day");
  return byDay(
    counts.filter(({ kind }) => isWanted(kind)),
    range,
    ({ at }) => (at === undefined ? null : timestampDate(at)),
    ({ kind }) => kind,
    ({ count }) => Number(count),
  );
}

/** The counts of both services that count. */
export async function usageOf(visit: Visit, clientId: string, since: Date, by: "hour" | "day"): Promise<UsageCount[]> {
  const request = { projectClientId: clientId, since: timestampFromDate(since), by };
  const replies = await Promise.all(
    (["identity", "events"] as const).map((service) =>
      visit.ask(UsageAdminService.method.listUsage, request, { service }).catch((error: unknown) => {
        // A plot of one service is better than no page.
        if (isServiceError(error, "dependency_unavailable")) return { counts: [] };
        throw error;
      }),
    ),
  );
  return replies.flatMap(({ counts }) => counts);
}

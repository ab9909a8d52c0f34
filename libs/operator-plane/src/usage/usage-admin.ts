import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { UsageAdminService } from "@platform/proto/operator/v1/usage_admin";
import { invalidRequest } from "../operators/operator-request-error.ts";
import type { UsageStore } from "./usage-counts.ts";

const dayMs = 86_400_000;
const daysMax = { hour: 31, day: 400 } as const;

/** Serves a service's usage counts. */
export function usageAdmin(store: Pick<UsageStore, "list">, clock: () => Date): ServedService {
  const implementation: Implementation<typeof UsageAdminService> = {
    listUsage: async ({ projectClientId, kind, since, by }) => {
      if (projectClientId !== "" && !isUuid(projectClientId))
        throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
      if (by !== "hour" && by !== "day") throw invalidRequest("/by", "must be hour or day");
      const from = since === undefined ? new Date(clock().getTime() - dayMs) : timestampDate(since);
      if (clock().getTime() - from.getTime() > (daysMax[by] + 1) * dayMs) {
        throw invalidRequest("/since", `must be at most ${daysMax[by]} days ago by ${by}`);
      }
      const hour = new Date(Math.floor(from.getTime() / 3_600_000) * 3_600_000);
      const counts = await store.list(projectClientId.toLowerCase(), kind === "" ? null : kind, hour, by);
      return {
        counts: counts.map(({ at, kind: name, count }) => ({
          at: timestampFromDate(at),
          kind: name,
          count: BigInt(count),
        })),
      };
    },
  };
  return implementForOperators(UsageAdminService, implementation);
}

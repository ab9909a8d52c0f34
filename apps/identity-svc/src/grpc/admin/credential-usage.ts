import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import { CredentialUsageAdminService } from "@platform/proto/identity/v1/credential_usage_admin";
import type { IdentityContext } from "../../identity-context.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const daysMax = { hour: 31, day: 400 } as const;

/** RPCs that report the use of a client's credentials. */
export function credentialUsageAdmin({
  credentialUsage,
  clock,
}: Pick<IdentityContext, "credentialUsage" | "clock">): ServedService {
  const implementation: Implementation<typeof CredentialUsageAdminService> = {
    listCredentialUsage: async ({ projectClientId, since, by, credentialId }) => {
      if (!isUuid(projectClientId)) throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
      if (by !== "hour" && by !== "day") throw invalidRequest("/by", "must be hour or day");
      const from = since === undefined ? new Date(clock().getTime() - dayMs) : timestampDate(since);
      if (clock().getTime() - from.getTime() > (daysMax[by] + 1) * dayMs)
        throw invalidRequest("/since", `must be at most ${daysMax[by]} days ago by ${by}`);
      const hour = new Date(Math.floor(from.getTime() / hourMs) * hourMs);
      const counts = await credentialUsage.list(projectClientId.toLowerCase(), credentialId || null, hour, by);
      return {
        counts: counts.map(({ at, credentialId: id, operation, count }) => ({
          at: timestampFromDate(at),
          credentialId: id,
          operation,
          count: BigInt(count),
        })),
      };
    },
  };
  return implementForOperators(CredentialUsageAdminService, implementation);
}

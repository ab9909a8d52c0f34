import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { UsageService } from "@platform/proto/identity/v1/usage";
import type { IdentityContext } from "../identity-context.ts";

type Rpcs = Implementation<typeof UsageService>;

/** Stores the counts that a gateway reports. */
export function recordUsage({ usage }: Pick<IdentityContext, "usage">): Rpcs["recordUsage"] {
  return async ({ reporterId, sequence, counts }) => {
    requireReporterId(reporterId);
    await usage.record({
      reporterId,
      sequence: Number(sequence),
      counts: counts.flatMap(({ projectClientId, kind, hour, count }) =>
        hour === undefined ? [] : [{ ownerId: projectClientId, kind, hour: timestampDate(hour), count: Number(count) }],
      ),
    });
    return {};
  };
}

/** Stores the counts by credential that a gateway reports. */
export function recordCredentialUsage({
  credentialUsage,
}: Pick<IdentityContext, "credentialUsage">): Rpcs["recordCredentialUsage"] {
  return async ({ reporterId, sequence, counts }) => {
    requireReporterId(reporterId);
    // The operation becomes the path of a field, so its form is restricted.
    if (!counts.every(({ operation }) => /^[a-z]{1,40}\.[A-Za-z]{1,80}$/.test(operation)))
      throw new ServiceError("contract_violation", "operation must be the id of an operation");
    await credentialUsage.record({
      reporterId,
      sequence: Number(sequence),
      counts: counts.flatMap(({ projectClientId: clientId, credentialId, operation, hour, count }) =>
        hour === undefined
          ? []
          : [{ clientId, credentialId, operation, at: timestampDate(hour), count: Number(count) }],
      ),
    });
    return {};
  };
}

/** The id becomes the name of a field, so its form is restricted. */
function requireReporterId(reporterId: string): void {
  if (!/^[0-9a-f]{32}$/.test(reporterId))
    throw new ServiceError("contract_violation", "reporter_id must be 32 lowercase hex characters");
}

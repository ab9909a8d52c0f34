import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { UsageService } from "@platform/proto/identity/v1/usage";
import type { IdentityContext } from "../identity-context.ts";

type Rpc = Implementation<typeof UsageService>["recordUsage"];

/** Keeps what a gateway counted. */
export function recordUsage({ usage }: Pick<IdentityContext, "usage">): Rpc {
  return async ({ reporterId, sequence, counts }) => {
    // It becomes the name of a field.
    if (!/^[0-9a-f]{32}$/.test(reporterId)) {
      throw new ServiceError("contract_violation", "reporter_id must be 32 lowercase hex characters");
    }
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

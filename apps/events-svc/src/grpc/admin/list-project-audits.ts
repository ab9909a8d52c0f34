import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import type { AuditModels } from "../../store/project-audit-model.ts";
import { listProjectAudits as list } from "../../store/read-project-audits.ts";

/** A page of a client's chain. */
export function listProjectAudits(
  models: AuditModels,
): Implementation<typeof ProjectAuditAdminService>["listProjectAudits"] {
  return async ({ projectClientId, afterSeq, limit, ...wanted }) => {
    const given = (text: string): string | null => (text === "" ? null : text);
    const filter = {
      actorId: given(wanted.actorId),
      action: given(wanted.action),
      resourceType: given(wanted.resourceType),
      resourceId: given(wanted.resourceId),
      span: {
        since: wanted.since === undefined ? null : timestampDate(wanted.since),
        until: wanted.until === undefined ? null : timestampDate(wanted.until),
      },
    };
    const audits = await list(models, projectClientId, Number(afterSeq), limit === 0 ? 1_000 : limit, filter);
    return {
      audits: audits.map((audit) => ({
        seq: BigInt(audit.seq),
        id: audit.id,
        actorId: audit.actor_id,
        action: audit.action,
        resourceType: audit.resource_type,
        resourceId: audit.resource_id,
        outcome: audit.outcome,
        recordedAt: timestampFromDate(audit.recorded_at),
        previousHash: audit.previous_hash,
        hash: audit.hash,
      })),
    };
  };
}

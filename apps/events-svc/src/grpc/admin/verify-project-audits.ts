import type { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { AuditModels } from "../../store/project-audit-model.ts";
import { verifyProjectAudits as verify } from "../../store/read-project-audits.ts";

/** Verifies a client's chain, or names the first fault. */
export function verifyProjectAudits(
  models: AuditModels,
): Implementation<typeof ProjectAuditAdminService>["verifyProjectAudits"] {
  return async ({ projectClientId, keptHead }, call) => {
    const result = await verify(models, projectClientId, keptHead ?? null, call.signal);
    return "length" in result
      ? { valid: true, length: BigInt(result.length) }
      : { valid: false, brokenAtSeq: BigInt(result.seq), reason: result.reason };
  };
}

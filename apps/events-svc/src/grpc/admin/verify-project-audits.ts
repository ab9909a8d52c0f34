import type { Implementation } from "@platform/kit/rpc/server";
import { createCallerQueue } from "@platform/operator-plane/search";
import type { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import type { AuditModels } from "../../store/project-audit-model.ts";
import { verifyProjectAudits as verify } from "../../store/read-project-audits.ts";

/** Verifications of one person that wait for their turn at this process. */
const waitingMax = 3;

/** Verifies a client's chain, or names the first fault. */
export function verifyProjectAudits(
  models: AuditModels,
): Implementation<typeof ProjectAuditAdminService>["verifyProjectAudits"] {
  const queue = createCallerQueue(waitingMax, "verifications");
  return async ({ projectClientId, keptHead }, call) => {
    const result = await queue.run(call.operator?.subject ?? "", call.signal, () =>
      verify(models, projectClientId, keptHead ?? null, call.signal),
    );
    return "length" in result
      ? { valid: true, length: BigInt(result.length) }
      : { valid: false, brokenAtSeq: BigInt(result.seq), reason: result.reason };
  };
}

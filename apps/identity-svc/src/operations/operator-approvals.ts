import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Approvals } from "@platform/operator-plane/operators";
import { type Approval, approvalMs, statusOf } from "../domain/approval.ts";
import type { ApprovalStore } from "../store/approvals.ts";
import type { ProjectClientStore } from "../store/project-clients.ts";

type Context = {
  readonly approvals: ApprovalStore;
  readonly clients: Pick<ProjectClientStore, "find">;
  readonly clock: () => Date;
};

/**
 * Creates the functions that request approvals of acts and use them. The RPCs of identity-svc call them directly,
 * other services through `ApprovalService`.
 */
export function createApprovals({ approvals, clients, clock }: Context): Approvals {
  return {
    request: async ({ rpc, act, request, requestJson, projectClientId, inProduction, askedBy, reason }) => {
      // If the client does not exist, the RPC itself rejects the request.
      if (inProduction && (await clients.find(projectClientId))?.environment !== "production") return "";
      const now = clock();
      const { id } = await approvals.insert({
        id: newId(),
        rpc,
        act,
        request: Buffer.from(request).toString("base64"),
        request_json: requestJson,
        project_client_id: projectClientId === "" ? null : projectClientId.toLowerCase(),
        asked_by: askedBy.subject,
        asked_by_name: askedBy.name,
        asked_as_root: askedBy.isRoot,
        reason,
        asked_at: now,
        expires_at: new Date(now.getTime() + approvalMs),
        status: "pending",
        decided_by: null,
        decided_at: null,
      });
      return id;
    },
    use: async ({ approvalId, rpc, request: bytes, approvedBy }) => {
      const used = { rpc, request: Buffer.from(bytes).toString("base64") };
      const approved = await approvals.use(approvalId, used, approvedBy, clock());
      if (approved !== null) return approved.asked_by;
      const approval = await requireUndecided(approvals, approvalId, clock());
      if (approval.rpc !== rpc || approval.request !== used.request)
        throw new ServiceError("approval_mismatch", "This approval was asked for another act, or for another request.");
      throw new ServiceError("permission_denied", ownAct);
    },
  };
}

const ownAct =
  "You asked for this act, so another person with the role security has to approve it. The break-glass token and the people with the role root count as one person.";

/**
 * Returns the approval that a person tried to decide, and is called if the deciding write matched none.
 * @throws ServiceError approval_not_found, approval_decided, approval_expired if that is the reason
 */
export async function requireUndecided(approvals: ApprovalStore, approvalId: string, now: Date): Promise<Approval> {
  const approval = await approvals.find(approvalId);
  if (approval === null) throw approvalNotFound();
  const status = statusOf(approval, now);
  if (status === "expired")
    throw new ServiceError("approval_expired", "Nobody approved this act within 24 hours; ask for it again.");
  if (status !== "pending")
    throw new ServiceError("approval_decided", `This act was ${status} by ${approval.decided_by}.`, {
      details: { status },
    });
  return approval;
}

export const approvalNotFound = (): ServiceError =>
  new ServiceError("approval_not_found", "There is no such approval. It is kept for 7 days after its time.");

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import { type Approval, statusOf } from "../../domain/approval.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { approvalNotFound, requireUndecided } from "../../operations/operator-approvals.ts";

type Rpcs = Implementation<typeof ApprovalAdminService>;

/** RPCs by which operators list the acts that wait for a second person's approval, and reject one. */
export function approvalAdmin({ approvals, clock }: IdentityContext): ServedService {
  const shown = (approval: Approval) => approvalMessage(approval, clock());
  const implementation: Rpcs = {
    listApprovals: async ({ limit, cursor }) => {
      const { items, nextCursor } = await approvals.listPending(clock(), { limit, cursor });
      return { approvals: items.map(shown), nextCursor };
    },
    getApproval: async ({ approvalId }) => {
      const approval = await approvals.find(approvalId);
      if (approval === null) throw approvalNotFound();
      return { approval: shown(approval) };
    },
    rejectApproval: async ({ approvalId }, { operator }) => {
      const now = clock();
      const rejected = await approvals.reject(approvalId, operator?.subject ?? "", now);
      if (rejected !== null) return { approval: shown(rejected) };
      await requireUndecided(approvals, approvalId, now);
      throw approvalNotFound();
    },
  };
  return implementForOperators(ApprovalAdminService, implementation);
}

function approvalMessage(approval: Approval, now: Date) {
  return {
    id: approval.id,
    act: approval.act,
    projectClientId: approval.project_client_id ?? "",
    askedBy: approval.asked_by,
    askedAt: timestampFromDate(approval.asked_at),
    expiresAt: timestampFromDate(approval.expires_at),
    askedByName: approval.asked_by_name,
    reason: approval.reason,
    status: statusOf(approval, now),
    rpc: approval.rpc,
    request: Buffer.from(approval.request, "base64"),
    requestJson: approval.request_json,
    decidedBy: approval.decided_by ?? "",
    ...optionalTimestamp("decidedAt", approval.decided_at),
  };
}

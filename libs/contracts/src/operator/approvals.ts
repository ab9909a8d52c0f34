import { ApprovalAdminService, ApprovalSchema } from "@platform/proto/identity/v1/approval_admin";
import { operation, resource } from "./resource.ts";

const rpcs = ApprovalAdminService.method;

const waiting = [
  { field: "id", title: "Approval", kind: "id", page: "/approvals" },
  { field: "act", title: "Act", kind: "code" },
  { field: "projectClientId", key: "client_id", title: "Project", kind: "id", page: "/clients", isNullIfEmpty: true },
  { field: "askedBy", title: "Asked by" },
  { field: "askedAt", title: "Asked", kind: "time" },
  { field: "expiresAt", title: "Expires", kind: "time" },
] as const; // biome-ignore format: a column a line

/**
 * Actions that wait for the approval of a second person. An approved action runs immediately, for which platformctl and
 * the console have hand-written code.
 */
export const approvals = resource({
  name: "approvals",
  noun: "approval",
  title: "Approvals",
  row: ApprovalSchema,
  subject: { field: "approvalId", option: "approval", explanation: "id of the approval, as listed" },
  paths: { list: "/approvals" },
  columns: [
    ...waiting,
    { field: "askedByName", title: "Name of who asked" },
    { field: "reason", title: "Reason", isNullIfEmpty: true },
    { field: "requestJson", key: "request", title: "Request", kind: "json" },
    { field: "status", title: "Status", kind: "state" },
    { field: "decidedBy", title: "Decided by", isNullIfEmpty: true },
    { field: "decidedAt", title: "Decided", kind: "time" },
  ],
  shown: {
    list: ["id", "act", "client_id", "askedBy", "askedAt", "expiresAt"],
    page: ["act", "client_id", "request", "reason", "askedBy", "askedByName", "askedAt", "expiresAt", "status", "decidedBy", "decidedAt"], // biome-ignore format: a list
    question: ["act", "client_id", "askedBy", "reason", "askedAt", "expiresAt"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listApprovals,
      does: "list",
      summary: "List the acts that await a second person's approval, newest first.",
      columns: waiting,
      empty: "No act awaits approval.",
    }),
    operation({
      verb: "show",
      rpc: rpcs.getApproval,
      does: "show",
      summary: "Show an act that awaits approval or was decided.",
    }),
    operation({
      verb: "reject",
      rpc: rpcs.rejectApproval,
      does: "act",
      summary: "Reject an act that awaits approval. The person who asked for it can withdraw it this way.",
      title: "Reject",
      button: "Reject the act",
      notice: "The act is rejected.",
      isDanger: true,
      offeredIn: ["pending"],
      prints: ["id", "rejected"],
      also: { rejected: true },
    }),
  ],
});

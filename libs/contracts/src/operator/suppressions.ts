import { SuppressionAdminService, SuppressionSchema } from "@platform/proto/notify/v1/suppression_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = SuppressionAdminService.method;

export const suppressions = resource({
  name: "suppressions",
  noun: "suppression",
  title: "Suppressed addresses",
  row: SuppressionSchema,
  id: "endpointId",
  subject: { field: "endpointId", option: "endpoint", explanation: "id of the Delivery Endpoint" },
  paths: { list: "/endpoints/suppressions" },
  above: ["Endpoints and consent", "/endpoints"],
  columns: [
    { field: "endpointId", title: "Endpoint", kind: "id", page: "/endpoints" },
    { field: "addressHint", title: "Address" },
    { field: "reason", title: "Reason", kind: "state" },
    { field: "since", title: "Since", kind: "time" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  shown: {
    list: ["endpointId", "addressHint", "reason", "since"],
    page: [],
    question: ["addressHint", "reason", "since"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listSuppressions,
      does: "list",
      summary:
        "List a project's suppressed email addresses, newest first: addresses whose emails bounced or were rejected, or whose owners complained.",
      empty: "No address is suppressed: no email bounced, and nobody complained.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "lift",
      rpc: rpcs.liftSuppression,
      does: "act",
      summary:
        "Send to an address again. After a bounce or a rejection, its endpoint is verified again and keeps its consents. After a complaint, marketing consents stay withdrawn until the owner grants them again.",
      button: "Lift the suppression",
      notice: "The suppression is lifted.",
      example: '--endpoint <id> --reason "the mailbox was restored, case 4713"',
    }),
  ],
});

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
  subject: { field: "endpointId", option: "endpoint", explanation: "the Delivery Endpoint" },
  paths: { list: "/endpoints/suppressions", one: "/endpoints/suppressions" },
  above: ["Endpoints and consent", "/endpoints"],
  columns: [
    { field: "endpointId", title: "Endpoint", kind: "id", page: "/endpoints" },
    { field: "addressHint", title: "Address" },
    { field: "reason", title: "Reason", kind: "state" },
    { field: "since", title: "Since", kind: "time" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isOnPagesOnly: true },
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
        "List a client's suppressed mail addresses, the latest first: those whose mails bounced, that a mail server refused, or whose owners complained.",
      empty: "No address is suppressed: no mail bounced, and nobody complained.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "lift",
      rpc: rpcs.liftSuppression,
      does: "act",
      summary:
        "Send to an address again. After a bounce or a refusal its endpoint is verified again with the consents it had; after a complaint marketing stays withdrawn until its owner grants a purpose again.",
      button: "Lift the suppression",
      notice: "The suppression is lifted.",
      example: '--endpoint <id> --reason "the mailbox was restored, case 4713"',
    }),
  ],
});

import { CapturedMessageAdminService, CapturedMessageSchema } from "@platform/proto/notify/v1/captured_message_admin";
import type { Column } from "./column.ts";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = CapturedMessageAdminService.method;

const columns = [
  { field: "deliveryId", title: "Delivery", kind: "id", page: "/captured" },
  { field: "channel", title: "Channel" },
  { field: "toHint", title: "To" },
  { field: "at", title: "Captured", kind: "time" },
] as const satisfies readonly Column<typeof CapturedMessageSchema>[];

export const captured = resource({
  name: "captured",
  noun: "captured message",
  title: "Captured messages",
  row: CapturedMessageSchema,
  id: "deliveryId",
  subject: { field: "deliveryId", option: "delivery", explanation: "id of the message's delivery" },
  paths: { list: "/captured" },
  columns: [
    ...columns,
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
    { field: "subject", title: "Subject or title" },
    { field: "text", title: "Text" },
    { field: "html", title: "HTML part" },
    { field: "token", title: "Verification token", kind: "code", isSecret: true },
    { field: "unsubscribeUrl", title: "Unsubscribe link", kind: "code", isSecret: true },
    { field: "payloadJson", key: "payload", title: "Provider payload", kind: "json" },
  ],
  shown: {
    list: ["deliveryId", "at", "channel", "toHint"],
    page: ["channel", "toHint", "at", "projectClientId", "token", "unsubscribeUrl"],
    question: [],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listCapturedMessages,
      does: "list",
      summary:
        "List a project's captured messages, newest first: messages that were not sent to a provider. They are kept for 7 days.",
      empty: "No message was captured in the last 7 days.",
      columns,
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "show",
      rpc: rpcs.showCapturedMessage,
      does: "show",
      summary:
        "Show a captured message as the provider would have received it, with its verification token if it has one.",
      example: "--delivery <delivery id>",
    }),
  ],
});

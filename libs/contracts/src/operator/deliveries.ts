import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, OperatorDeliverySchema } from "@platform/proto/notify/v1/notify_admin";
import { channelFilter } from "./channels.ts";
import type { Column } from "./column.ts";
import { anyProjectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const columns = [
  { field: "id", title: "Delivery", kind: "id", page: "/deliveries" },
  { field: "channel", title: "Channel" },
  { field: "status", title: "Status", kind: "state" },
  { field: "attempts", title: "Attempts" },
  { field: "providerStatus", title: "Provider's response" },
  { field: "lastErrorCode", title: "Last error" },
  { field: "templateKey", title: "Template", page: "/templates?client={client}&key={id}" },
  { field: "endpointId", title: "Endpoint", kind: "id", page: "/endpoints" },
  { field: "addressHint", title: "Address" },
  { field: "address", title: "Revealed address", isLeftOutIfAbsent: true },
  { field: "senderProfileId", title: "Sender profile", kind: "id", page: "/profiles" },
  { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
  { field: "intentId", title: "Notification Intent", kind: "id" },
  { field: "createdAt", title: "Accepted", kind: "time" },
  { field: "dueAt", title: "Due", kind: "time" },
  { field: "finishedAt", title: "Finished", kind: "time" },
] as const satisfies readonly Column<typeof OperatorDeliverySchema>[];

export const deliveries = resource({
  name: "deliveries",
  noun: "delivery",
  title: "Deliveries",
  row: OperatorDeliverySchema,
  subject: { field: "deliveryId", option: "delivery", explanation: "delivery id" },
  paths: { list: "/deliveries" },
  columns: [
    ...columns,
    {
      field: "attemptLog",
      title: "Attempts, oldest first",
      columns: [
        { field: "attempt", title: "Attempt" },
        { field: "at", title: "At", kind: "time" },
        { field: "providerStatus", title: "Provider's response" },
        { field: "errorCode", title: "Error" },
        { field: "durationMs", title: "Duration (ms)" },
      ],
    },
  ],
  shown: {
    list: [
      "id",
      "createdAt",
      "channel",
      "status",
      "attempts",
      "lastErrorCode",
      "templateKey",
      "addressHint",
      "endpointId",
      "finishedAt",
    ],
    page: [
      "status",
      "channel",
      "projectClientId",
      "addressHint",
      "address",
      "endpointId",
      "senderProfileId",
      "templateKey",
      "intentId",
      "createdAt",
      "dueAt",
      "finishedAt",
      "lastErrorCode",
      "providerStatus",
      "attemptLog",
    ],
    question: ["addressHint", "channel", "lastErrorCode"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: DeliveryAdminService.method.listDeliveries,
      does: "list",
      summary: "List the deliveries of one project or of all projects, newest first.",
      empty: "There are no deliveries yet. A project sends messages with POST /api/v1/notification-intents.",
      filter: "filter",
      columns,
      fields: [
        anyProjectClient,
        channelFilter,
        {
          field: "status",
          label: "Status",
          explanation: "pending, sending, sent or failed",
          choices: ["pending", "sending", "sent", "failed"],
        },
        {
          field: "errorCode",
          label: "Error code",
          explanation: "code of the last error, such as smtp_550",
          placeholder: "code",
        },
        {
          field: "templateKey",
          option: "template",
          label: "Template",
          explanation: "key of the template",
          placeholder: "key",
        },
        {
          field: "endpointId",
          option: "endpoint",
          kind: "id",
          label: "Endpoint id",
          explanation: "id of the Delivery Endpoint",
        },
        {
          field: "since",
          kind: "since",
          label: "Since",
          explanation: "accepted at or after this time: RFC 3339, or an age such as 2h or 7d",
        },
        { field: "until", kind: "since", label: "Until", explanation: "accepted before this time" },
      ],
      example: ["--client <client id> --status failed --since 12h", "--status failed --error-code smtp_550"],
    }),
    operation({
      verb: "show",
      rpc: NotifyAdminService.method.showDelivery,
      does: "show",
      summary: "Show a delivery with its latest attempts, without the content of the message.",
      example: "--delivery <delivery id>",
    }),
  ],
});

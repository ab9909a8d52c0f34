import { EndpointAdminService, OperatorEndpointSchema } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { channelFilter } from "./channels.ts";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = EndpointAdminService.method;
const client = { ...projectClient, isRequired: true } as const;

export const endpoints = resource({
  name: "endpoints",
  noun: "endpoint",
  title: "Endpoints and consent",
  row: OperatorEndpointSchema,
  subject: { field: "endpointId", option: "endpoint", explanation: "id of the Delivery Endpoint" },
  paths: { list: "/endpoints" },
  columns: [
    { field: "id", title: "Endpoint", kind: "id", page: "/endpoints" },
    { field: "channel", title: "Channel" },
    { field: "status", title: "Status", kind: "state" },
    { field: "addressHint", title: "Address" },
    { field: "address", title: "Revealed address", isLeftOutIfAbsent: true },
    { field: "verifiedAt", title: "Verified", kind: "time" },
    {
      field: "consents",
      title: "Consent",
      columns: [
        { field: "purpose", title: "Purpose" },
        { field: "granted", title: "Consent", kind: "state", words: ["granted", "withdrawn"] },
      ],
    },
    { field: "createdAt", title: "Registered", kind: "time" },
    { field: "lastErrorCode", title: "Last error" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  shown: {
    list: ["id", "channel", "status", "addressHint", "consents", "createdAt", "verifiedAt", "lastErrorCode"],
    found: ["id", "channel", "status", "address", "consents", "verifiedAt"],
    page: [
      "status",
      "channel",
      "addressHint",
      "address",
      "projectClientId",
      "createdAt",
      "verifiedAt",
      "lastErrorCode",
    ],
    question: ["addressHint", "channel", "consents"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listEndpoints,
      does: "list",
      summary: "List a project's endpoints, newest first.",
      empty: "There are no endpoints. A project registers one with POST /api/v1/delivery-endpoints.",
      fields: [
        client,
        channelFilter,
        {
          field: "status",
          label: "Status",
          explanation: "pending, verified, verification_failed, verification_locked or revoked",
          choices: ["pending", "verified", "verification_failed", "verification_locked", "revoked"],
        },
      ],
      example: "--client <client id> --status revoked",
    }),
    operation({
      verb: "show",
      rpc: rpcs.getEndpoint,
      does: "show",
      summary: "Show an endpoint and the changes of its status and consents.",
      also: {
        history: {
          reply: "history",
          columns: [
            { field: "at", title: "When", kind: "time" },
            { field: "what", title: "What", kind: "state" },
            { field: "by", title: "By" },
            { field: "purpose", title: "Purpose" },
            { field: "detail", title: "Reason" },
            { field: "correlationId", title: "Request", kind: "id" },
            { field: "deliveryId", title: "Delivery", kind: "id", page: "/deliveries" },
          ],
        },
      },
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeEndpoint,
      does: "act",
      summary:
        "Revoke an endpoint. Its consents are withdrawn, and the project's messages are no longer sent to it, including those in the queue. The project can register the address again, which requires a new verification.",
      button: "Revoke the endpoint",
      notice: "The endpoint is revoked.",
      isDanger: true,
      offeredIn: ["pending", "verified", "verification_failed", "verification_locked"],
      example: '--endpoint <id> --reason "requested by email, case 4712"',
    }),
    operation({
      verb: "restore-consent",
      rpc: rpcs.restoreConsent,
      does: "act",
      summary:
        "Restore a consent that was withdrawn. Do this only if the owner has asked for it, and state in the reason how they asked.",
      title: "Restore the consent",
      notice: "The consent is restored.",
      offeredIn: [],
      fields: [{ field: "purpose", label: "Purpose", explanation: "purpose of the consent", isRequired: true }],
      example: '--endpoint <id> --purpose news --reason "requested by phone, case 4711"',
    }),
    operation({
      verb: "link-line",
      rpc: NotifyAdminService.method.linkLineEndpoint,
      does: "create",
      summary: "Register a LINE user as a verified endpoint. Linking the same user again returns the same id.",
      title: "Link a LINE user",
      button: "Link the LINE user",
      notice: "The LINE user is linked as a verified endpoint.",
      prints: ["id"],
      also: { id: { reply: "id" } },
      fields: [
        client,
        {
          field: "userId",
          kind: "id",
          label: "LINE user ID",
          explanation: "the LINE user ID: U followed by 32 hexadecimal digits",
          isRequired: true,
        },
      ],
      example: "--client <client id> --user-id U4af4980629f8a1e3b8c2d5e6f7a8b9c0",
    }),
    operation({
      verb: "find",
      rpc: rpcs.findEndpoints,
      does: "find",
      summary: "Find the endpoints of a project that have this address, of all channels.",
      title: "Find by address",
      button: "Find",
      foundTitle: "Endpoints with this address",
      empty: "No endpoint of this project has this address.",
      fields: [
        client,
        {
          field: "address",
          label: "Address",
          explanation: "an email address, a device token, a LINE user ID, or the JSON of a PushSubscription",
          isRequired: true,
        },
      ],
      example: "--client <client id> --address ann@people.example",
    }),
  ],
});

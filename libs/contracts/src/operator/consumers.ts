import { ConsumerAdminService, ConsumerSchema } from "@platform/proto/events/v1/consumer_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = ConsumerAdminService.method;

export const consumers = resource({
  name: "consumers",
  noun: "consumer",
  title: "Event consumers",
  row: ConsumerSchema,
  subject: { field: "consumerId", option: "consumer", explanation: "consumer id" },
  paths: { list: "/events/consumers" },
  above: ["Events", "/events"],
  named: "name",
  columns: [
    { field: "id", title: "Consumer", kind: "id", page: "/events/consumers/{id}?client={client}" },
    { field: "name", title: "Name" },
    { field: "createdAt", title: "Issued", kind: "time" },
    { field: "revokedAt", title: "Revoked", kind: "time" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
    { field: "position", title: "Position" },
    { field: "lag", title: "Lag", isZeroIfAbsent: true },
    {
      field: "revokedAt",
      key: "state",
      title: "State",
      kind: "state",
      words: ["revoked", "active"],
      isOnPagesOnly: true,
    },
  ],
  shown: {
    list: ["id", "name", "state", "position", "lag", "createdAt", "revokedAt"],
    page: ["state", "projectClientId", "position", "lag", "createdAt", "revokedAt"],
    question: ["name", "projectClientId", "position", "lag"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listConsumers,
      does: "list",
      summary: "List a project's event consumers, oldest first.",
      empty: "This project has no event consumer. With the role security, you can issue a token for one here.",
      fields: [{ ...projectClient, isRequired: true }],
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeConsumer,
      does: "act",
      summary: "Revoke a consumer's tokens immediately. Open streams end within one second. This cannot be undone.",
      button: "Revoke its tokens",
      notice: "The consumer is revoked.",
      isDanger: true,
      offeredIn: ["active"],
      prints: ["id", "name", "created_at", "revoked_at", "project_client_id"],
    }),
  ],
});

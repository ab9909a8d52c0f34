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
  paths: { list: "/events/consumers", one: "/events/consumers" },
  above: ["Events", "/events"],
  named: "name",
  columns: [
    { field: "id", title: "Consumer", kind: "id", page: "/events/consumers/{id}?client={client}" },
    { field: "name", title: "Name" },
    { field: "createdAt", title: "Issued", kind: "time" },
    { field: "revokedAt", title: "Revoked", kind: "time" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients" },
    { field: "position", title: "Read up to" },
    { field: "lag", title: "Behind", isZeroIfAbsent: true },
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
      summary: "List a client's consumers, oldest first.",
      empty: "No team has a token to read this client's events. Someone with the role security issues one here.",
      fields: [{ ...projectClient, isRequired: true }],
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeConsumer,
      does: "act",
      summary: "End a consumer's tokens now; a stream that is open ends within a second. This cannot be undone.",
      button: "End its tokens now",
      notice: "The consumer is revoked.",
      isDanger: true,
      offeredIn: ["active"],
      prints: ["id", "name", "created_at", "revoked_at", "project_client_id"],
    }),
  ],
});

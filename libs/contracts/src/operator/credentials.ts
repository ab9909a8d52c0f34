import { ProjectClientAdminService, ProjectCredentialSchema } from "@platform/proto/identity/v1/identity_admin";
import { anyProjectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = ProjectClientAdminService.method;

/** Project Credentials. Issuing and rotating one show a secret once, so they are code of their own. */
export const credentials = resource({
  name: "credentials",
  noun: "credential",
  title: "Credentials",
  row: ProjectCredentialSchema,
  subject: { field: "credentialId", option: "credential-id", explanation: "id of the credential" },
  paths: { list: "/credentials", one: "/credentials" },
  named: "name",
  columns: [
    { field: "id", title: "Id", kind: "id" },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients" },
    { field: "name", title: "Name" },
    { field: "scopes", title: "Scopes", kind: "texts" },
    { field: "createdAt", title: "Issued", kind: "time" },
    { field: "expiresAt", title: "Expires", kind: "time" },
    { field: "revokedAt", title: "Revoked", kind: "time" },
    { field: "lastUsedAt", title: "Last used", kind: "time" },
    { field: "lastUsedNetwork", title: "Last used from", isNullIfEmpty: true },
    {
      field: "rotatedToId",
      title: "Successor",
      kind: "id",
      page: "/credentials/{id}?client={client}",
      isNullIfEmpty: true,
    },
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
    list: ["name", "id", "state", "scopes", "lastUsedAt", "lastUsedNetwork", "expiresAt"],
    page: [
      "state",
      "projectClientId",
      "scopes",
      "lastUsedAt",
      "lastUsedNetwork",
      "createdAt",
      "expiresAt",
      "revokedAt",
      "rotatedToId",
    ],
    question: ["name", "id", "scopes", "lastUsedAt"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listProjectCredentials,
      does: "list",
      prints: "array",
      summary:
        "List credentials, oldest first, without secrets: of one Project Client or of all. last_used_at is exact to about a minute.",
      empty: "There is no credential. Without one a project cannot call; someone with the role security issues one.",
      fields: [
        anyProjectClient,
        {
          field: "expiresWithinDays",
          label: "Expires within days",
          explanation: "only those that expire within so many days, the first to expire first",
          range: [1, 3_650],
        },
      ],
      example: "--expires-within-days 30",
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeProjectCredential,
      does: "act",
      summary: "End a credential now, on every gateway within a second. This cannot be undone.",
      button: "End the credential now",
      notice: "The credential is revoked.",
      isDanger: true,
      offeredIn: ["active"],
      example: "--credential-id <id>",
    }),
  ],
});

import { ProjectClientAdminService, ProjectCredentialSchema } from "@platform/proto/identity/v1/identity_admin";
import { anyProjectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = ProjectClientAdminService.method;

/**
 * Project Credentials. Issuing or rotating one shows a secret once, for which platformctl and the console have
 * hand-written code.
 */
export const credentials = resource({
  name: "credentials",
  noun: "credential",
  title: "Credentials",
  row: ProjectCredentialSchema,
  subject: { field: "credentialId", option: "credential-id", explanation: "credential id" },
  paths: { list: "/credentials" },
  named: "name",
  columns: [
    { field: "id", title: "Id", kind: "id" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
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
        "List the credentials of one project or of all projects, oldest first, without their secrets. The time of the last use is accurate to about one minute.",
      empty:
        "There are no credentials. A project needs one to call the API; with the role security, you can issue one on the project's page.",
      fields: [
        anyProjectClient,
        {
          field: "expiresWithinDays",
          label: "Expires within (days)",
          explanation: "only credentials that expire within this number of days, soonest first",
          range: [1, 3_650],
        },
      ],
      example: "--expires-within-days 30",
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeProjectCredential,
      does: "act",
      summary: "Revoke a credential. Every gateway rejects it within one second. This cannot be undone.",
      button: "Revoke the credential",
      notice: "The credential is revoked.",
      isDanger: true,
      offeredIn: ["active"],
      example: "--credential-id <id>",
    }),
  ],
});

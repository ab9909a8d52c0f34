import { MigrationAdminService, OperatorMigrationSchema } from "@platform/proto/identity/v1/migration_admin";
import { anyProjectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = MigrationAdminService.method;

export const migrations = resource({
  name: "migrations",
  noun: "transaction",
  title: "Migrations",
  row: OperatorMigrationSchema,
  subject: { field: "transactionId", option: "transaction", explanation: "id of the Identity Migration Transaction" },
  paths: { list: "/migrations" },
  columns: [
    { field: "id", title: "Transaction", kind: "id", page: "/migrations/{id}?client={client}" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
    { field: "legacySubject", title: "Legacy subject", kind: "id" },
    { field: "addressHint", title: "Asserted address" },
    { field: "status", title: "Status", kind: "state" },
    { field: "accountId", title: "Account", kind: "id", page: "/accounts" },
    { field: "verificationMails", title: "Verification emails" },
    { field: "createdAt", title: "Started", kind: "time" },
    { field: "expiresAt", title: "Expires", kind: "time" },
    { field: "completedAt", title: "Completed", kind: "time" },
    { field: "annulledAt", title: "Annulled", kind: "time" },
  ],
  shown: {
    list: [
      "id",
      "status",
      "legacySubject",
      "addressHint",
      "accountId",
      "verificationMails",
      "createdAt",
      "completedAt",
      "annulledAt",
    ],
    page: [
      "status",
      "legacySubject",
      "addressHint",
      "accountId",
      "projectClientId",
      "verificationMails",
      "createdAt",
      "expiresAt",
      "completedAt",
      "annulledAt",
    ],
    question: ["legacySubject", "status", "accountId"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listMigrations,
      does: "list",
      summary: "List the identity migration transactions of one project or of all projects, newest first.",
      empty: "There are no transactions. A project creates one with POST /api/v1/identity-migration-transactions.",
      fields: [
        anyProjectClient,
        {
          field: "legacySubject",
          label: "Legacy subject",
          explanation: "the project's own identifier of the person",
          placeholder: "subject",
        },
        { field: "email", label: "Address", explanation: "asserted address", placeholder: "address" },
        {
          field: "status",
          label: "Status",
          explanation: "pending, link_pending, completed or expired",
          choices: ["pending", "link_pending", "completed", "expired"],
        },
      ],
      example: ["--client <client id> --status link_pending", "--status link_pending"],
    }),
    operation({
      verb: "annul",
      rpc: rpcs.annulMigration,
      does: "act",
      summary:
        "Annul a transaction, even a completed one. It expires, its link to the account is removed, and its legacy subject can be linked again. This cannot be undone.",
      button: "Annul the transaction",
      notice: "The transaction is annulled.",
      isDanger: true,
      offeredIn: ["pending", "link_pending", "completed"],
      example: '--transaction <id> --reason "linked to the wrong person, case 4711"',
    }),
  ],
});

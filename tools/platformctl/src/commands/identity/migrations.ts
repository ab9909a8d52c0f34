import { MigrationAdminService, type OperatorMigration } from "@platform/proto/identity/v1/migration_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";

type ListOptions = PageOptions & { client: string; legacySubject?: string; email?: string; status?: string };

/** `migrations …`: Identity Migration Transactions. */
export function registerMigrationCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(MigrationAdminService);
  const migrations = topLevel(program, "migrations");
  pageOptions(migrations.command("list"))
    .description("List a client's transactions, newest first.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--legacy-subject <subject>", "the project's own name of the person")
    .option("--email <address>", "the asserted address")
    .option("--status <status>", "pending, link_pending, completed or expired")
    .addHelpText("after", "\nExample:\n  platformctl migrations list --client <client id> --status link_pending")
    .action(async (options: ListOptions) => {
      const { client, legacySubject = "", email = "", status = "" } = options;
      const reply = await admin().listMigrations(
        { projectClientId: client, legacySubject, email, status, ...readPage(options) },
        ctl.call(client),
      );
      printPage(ctl, reply.migrations.map(migrationForm), reply.nextCursor);
    });
  migrations
    .command("annul")
    .description(
      "End a transaction, also a completed one: it is expired, and its legacy subject may be linked anew. Asks for --reason.",
    )
    .requiredOption("--transaction <id>", "the Identity Migration Transaction")
    .addHelpText(
      "after",
      '\nExample:\n  platformctl migrations annul --transaction <id> --reason "linked to the wrong person, case 4711"',
    )
    .action(async ({ transaction: transactionId }: { transaction: string }) => {
      const { migration } = await admin().annulMigration({ transactionId }, ctl.call());
      if (migration === undefined) throw new Error("identity-svc answered without a transaction");
      ctl.print(migrationForm(migration));
    });
}

function migrationForm(migration: OperatorMigration) {
  return {
    id: migration.id,
    project_client_id: migration.projectClientId,
    legacy_subject: migration.legacySubject,
    address_hint: migration.addressHint,
    status: migration.status,
    account_id: migration.accountId ?? null,
    verification_mails: migration.verificationMails,
    created_at: isoOrNull(migration.createdAt),
    expires_at: isoOrNull(migration.expiresAt),
    completed_at: isoOrNull(migration.completedAt),
    annulled_at: isoOrNull(migration.annulledAt),
  };
}

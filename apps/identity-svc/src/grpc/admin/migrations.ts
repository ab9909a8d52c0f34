import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { emailHint, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import {
  type IdentityMigrationTransaction,
  statusOf,
  type TransactionStatus,
} from "../../domain/identity-migration-transaction.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { transactionNotFound } from "../../operations/transaction-errors.ts";

type Rpcs = Implementation<typeof MigrationAdminService>;

const statuses: readonly TransactionStatus[] = ["pending", "link_pending", "completed", "expired"];

/** RPCs by which operators find Identity Migration Transactions and annul wrong ones. */
export function migrationServices(context: IdentityContext): ServedService[] {
  const implementation: Rpcs = {
    listMigrations: async ({ projectClientId, legacySubject, email, status, limit, cursor }) => {
      if (projectClientId !== "" && !isUuid(projectClientId))
        throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
      const wanted = statuses.find((each) => each === status) ?? null;
      if (status !== "" && wanted === null) throw invalidRequest("/status", `must be ${statuses.join(", ")}`);
      const now = context.clock();
      const filter = {
        projectClientId: projectClientId === "" ? null : projectClientId.toLowerCase(),
        legacySubject: legacySubject === "" ? null : legacySubject,
        email: email === "" ? null : normalizeEmail(email),
        status: wanted,
      };
      const { items, nextCursor } = await context.transactions.list(filter, { limit, cursor }, now);
      return { migrations: items.map((transaction) => migrationMessage(transaction, now)), nextCursor };
    },
    annulMigration: async ({ transactionId }) => {
      const now = context.clock();
      const annulled = await context.transactions.annul(transactionId.toLowerCase(), now);
      if (annulled === null) throw transactionNotFound();
      context.metrics.transitions.inc({ to: "annulled" });
      return { migration: migrationMessage(annulled, now) };
    },
  };
  return [implementForOperators(MigrationAdminService, implementation)];
}

function migrationMessage(transaction: IdentityMigrationTransaction, now: Date) {
  return {
    id: transaction.id,
    projectClientId: transaction.project_client_id,
    legacySubject: transaction.legacy_subject,
    addressHint: emailHint(transaction.email),
    status: statusOf(transaction, now),
    ...defined({ accountId: transaction.account_id }),
    createdAt: timestampFromDate(transaction.created_at),
    expiresAt: timestampFromDate(transaction.expires_at),
    ...optionalTimestamp("completedAt", transaction.completed_at),
    ...optionalTimestamp("annulledAt", transaction.annulled_at),
    verificationMails: transaction.verification_count,
  };
}

import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { DataOf } from "@platform/contracts/operation";
import type { identityOperations } from "@platform/contracts/operations/identity";
import type { IdentityMigrationTransaction } from "@platform/proto/identity/v1/identity_migration";

type TransactionData = DataOf<(typeof identityOperations)["identity.getIdentityMigrationTransaction"]>;

/** Converts a transaction to its form in the contract, without its flow token. */
export function transactionData(transaction: IdentityMigrationTransaction | undefined): TransactionData {
  if (transaction?.expiresAt === undefined) throw new Error("identity-svc answered without a transaction");
  return {
    id: transaction.id,
    project_client_id: transaction.projectClientId,
    legacy_subject: transaction.legacySubject,
    email: transaction.email,
    locale: transaction.locale,
    correlation_id: transaction.correlationId,
    expires_at: timestampDate(transaction.expiresAt).toISOString(),
    status: transaction.status as TransactionData["status"],
    account_id: transaction.accountId === "" ? null : transaction.accountId,
  };
}

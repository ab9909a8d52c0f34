import { ServiceError } from "@platform/kit/rpc/errors";
import { type IdentityMigrationTransaction, statusOf } from "../domain/identity-migration-transaction.ts";
import { hasEmailVerifiedAfter } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { settleProvenEmail } from "./prove-email.ts";
import { factFor } from "./tell-client.ts";
import { emailNotVerified, transactionExpired } from "./transaction-errors.ts";

/**
 * First phase of the link. The caller has verified that the account's owner is present, recently authenticated, and
 * admitted to the transaction (by its flow token, or by the bound browser). One conditional write decides between
 * concurrent attempts.
 * @returns the transaction as this account linked it, now or before
 */
export async function linkAccount(
  context: IdentityContext,
  seen: IdentityMigrationTransaction,
  accountId: string,
): Promise<IdentityMigrationTransaction> {
  const now = context.clock();
  const account = await settleProvenEmail(context, seen, accountId);
  const isVerified = account !== null && hasEmailVerifiedAfter(account, seen.created_at);
  const told = { resource: "identity_migration", id: seen.id, state: "link_pending" };
  const fact = await factFor(context, seen.project_client_id, told, now);
  const linked =
    account === null
      ? null
      : // A verified Login Identifier stays verified, so it can be read beforehand; evidence is part of the write's filter.
        await context.transactions.link(seen.id, accountId, !isVerified, now, fact);
  if (linked !== null) {
    context.metrics.transitions.inc({ to: "link_pending" });
    return linked;
  }

  const current = (await context.transactions.findForPerson(seen.id)) ?? seen;
  if (current.account_id === accountId && statusOf(current, now) !== "expired") return current;
  if (statusOf(current, now) === "expired") throw transactionExpired();
  if (current.account_id !== null) {
    throw new ServiceError("account_already_linked", "Another account has been linked to this transaction.");
  }
  throw emailNotVerified();
}

import { hashToken } from "@platform/kit/process/secrets";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { IdentityMigrationTransaction } from "../domain/identity-migration-transaction.ts";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { codeMatches } from "./derived-tokens.ts";

/**
 * Consumes an emailed link and records evidence for its transaction only.
 * @returns the transaction, or null if the link cannot be used
 */
export async function proveByLink(
  context: IdentityContext,
  transactionId: string,
  linkToken: string,
): Promise<IdentityMigrationTransaction | null> {
  const used = await context.verifications.useLink(transactionId, hashToken(linkToken), context.clock());
  if (used === null) return null;
  await settleProvenEmail(context, used.transaction, used.evidence.account_id);
  return used.transaction;
}

/**
 * Consumes an emailed code, or counts a wrong one. `dead` means that no code is valid any more and a new email is
 * needed.
 */
export async function proveByCode(
  context: IdentityContext,
  transaction: IdentityMigrationTransaction,
  accountId: string,
  code: string,
): Promise<"proven" | "wrong" | "dead"> {
  const result = await context.verifications.useCode(
    transaction.id,
    accountId,
    (verificationId, stored) => codeMatches(context.keyring, verificationId, code, stored),
    context.clock(),
  );
  if (result === "wrong" || result === "dead") return result;
  await settleProvenEmail(context, { ...transaction, evidence: [...transaction.evidence, result] }, accountId);
  return "proven";
}

/**
 * Gives a newly registered account the address of its evidence as its Login Identifier. Evidence and identifier are in
 * two documents, so every later step that needs the account also calls this, which completes it after a crash.
 * @returns the account afterwards; null if it no longer exists or another account has the address
 */
export async function settleProvenEmail(
  context: IdentityContext,
  transaction: Pick<IdentityMigrationTransaction, "evidence">,
  accountId: string,
): Promise<PlatformAccount | null> {
  const account = await context.accounts.find(accountId);
  if (account === null || account.login_identifiers.length > 0) return account;
  const evidence = transaction.evidence.find((candidate) => candidate.account_id === accountId);
  if (evidence === undefined) return account;
  const isAdded = await context.accounts.addProvenEmail(accountId, normalizeEmail(evidence.email), evidence.at);
  return isAdded ? context.accounts.find(accountId) : null;
}

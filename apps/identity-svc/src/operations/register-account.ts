import { newId } from "@platform/service-kit/secrets/id";
import { normalizeEmail } from "../domain/email-address.ts";
import type { IdentityMigrationTransaction } from "../domain/identity-migration-transaction.ts";
import { unprovenAccountSeconds } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { beginVerification } from "./begin-verification.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

/**
 * Registers with the address the transaction asserts. The account has no Login Identifier until a mail sent there is answered: an address that
 * is only claimed blocks nobody and signs nobody in. When an account has the address already, everything here happens just the same, except
 * that the mail says so instead of carrying a code: only the mailbox's owner learns which it was.
 * @returns null when the transaction cannot send (another) mail
 */
export async function registerAccount(
  context: IdentityContext,
  transaction: IdentityMigrationTransaction,
  password: string,
): Promise<OpenedSession | null> {
  const now = context.clock();
  const email = normalizeEmail(transaction.email);
  const [passwordHash, holder] = await Promise.all([
    context.passwords.hash(password),
    context.accounts.findByEmail(email),
  ]);
  const account = {
    id: newId(),
    login_identifiers: [],
    created_at: now,
    unproven_until: new Date(now.getTime() + unprovenAccountSeconds * 1000),
  };
  await context.accounts.insert(account, passwordHash);
  const kind = holder === null ? "code_and_link" : "address_taken";
  const begun = await beginVerification(context, transaction.id, { account_id: account.id, email, kind }, true);
  return begun === null ? null : openSession(context, account.id, now);
}

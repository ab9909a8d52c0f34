import { normalizeEmail } from "@platform/service-kit/mail/email-address";
import { newId } from "@platform/service-kit/secrets/id";
import type { IdentityMigrationTransaction } from "../domain/identity-migration-transaction.ts";
import { unprovenAccountSeconds } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import type { VerificationRefusal } from "../store/email-verifications.ts";
import { beginVerification } from "./begin-verification.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

/**
 * Registers with the address the transaction asserts. The account has no Login Identifier until a mail sent there is answered: an address that
 * is only claimed blocks nobody and signs nobody in. When an account has the address already, everything here happens just the same, except
 * that the mail says so instead of carrying a code: only the mailbox's owner learns which it was.
 */
export async function registerAccount(
  context: IdentityContext,
  transaction: IdentityMigrationTransaction,
  password: string,
): Promise<OpenedSession | VerificationRefusal> {
  const now = context.clock();
  const email = normalizeEmail(transaction.email);
  const id = newId();
  const kind = (await context.accounts.findByEmail(email)) === null ? "code" : "address_taken";
  // First of all, for it is what a transaction may do only so often: without it one browser could keep every password hasher busy and
  // leave an account behind at each try.
  const begun = await beginVerification(context, transaction.id, { account_id: id, email, kind }, "refuse");
  if (typeof begun === "string") return begun;
  const unprovenUntil = new Date(now.getTime() + unprovenAccountSeconds * 1000);
  const account = {
    id,
    login_identifiers: [],
    created_at: now,
    unproven_until: unprovenUntil,
    sessions_ended_at: null,
    disabled_at: null,
  };
  await context.accounts.insert(account, await context.passwords.hash(password));
  return openSession(context, id, now);
}

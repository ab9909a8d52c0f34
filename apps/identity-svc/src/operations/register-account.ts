import { newId } from "@platform/kit/process/secrets";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { IdentityMigrationTransaction } from "../domain/identity-migration-transaction.ts";
import type { Language } from "../domain/page-language.ts";
import { unprovenAccountSeconds } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import type { VerificationRefusal } from "../store/email-verifications.ts";
import { beginVerification } from "./begin-verification.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

/**
 * Registers with the transaction's asserted address. The account has no Login Identifier until the address is verified,
 * so a claimed address neither blocks anyone nor lets anyone sign in. If an account already has the address, everything
 * is the same except that the email reports this and contains no code, so only the owner of the mailbox learns it.
 */
export async function registerAccount(
  context: IdentityContext,
  transaction: IdentityMigrationTransaction,
  password: string,
  language: Language,
): Promise<OpenedSession | VerificationRefusal> {
  const now = context.clock();
  const email = normalizeEmail(transaction.email);
  const id = newId();
  const kind = (await context.accounts.findByEmail(email)) === null ? "code" : "address_taken";
  // Checked first, because it bounds registrations per transaction: otherwise one browser could occupy every password hasher and leave an account
  // behind at each attempt.
  const begun = await beginVerification(context, transaction.id, { account_id: id, email, kind, language }, "refuse");
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

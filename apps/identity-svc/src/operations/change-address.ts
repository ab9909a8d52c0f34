import { newId } from "@platform/kit/process/secrets";
import { addressMailsPerAccountMax, addressMailsPerAddressMax } from "../domain/account-mail.ts";
import { verificationCodeMs } from "../domain/identity-migration-transaction.ts";
import type { Language } from "../domain/page-language.ts";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { codeHmac, codeMatches, verificationCode } from "./derived-tokens.ts";
import { notifyOwner } from "./notify-owner.ts";

/**
 * Emails a code to a new address and invalidates earlier codes. If another account has the address, everything is the
 * same except that the email reports this and contains no code, so only the owner of the mailbox learns it.
 * @param email normalized
 * @returns false if too many such emails were sent in the last 15 minutes
 */
export async function requestNewAddress(
  context: IdentityContext,
  account: PlatformAccount,
  email: string,
  language: Language,
): Promise<boolean> {
  const { accountMails, accounts, keyring, signInFailures } = context;
  const now = context.clock();
  const counters = [
    [`new-address account ${account.id}`, addressMailsPerAccountMax],
    [`new-address address ${email}`, addressMailsPerAddressMax],
  ] as const;
  for (const [subject, limit] of counters) {
    if ((await signInFailures.countTry(subject, limit, now)) !== null) return false;
  }
  const kind = (await accounts.findByEmail(email)) === null ? "new_address" : "address_taken";
  const id = newId();
  const key = keyring.current;
  const code = kind === "new_address" ? codeHmac(key, id, verificationCode(key, id)) : null;
  const expires_at = new Date(now.getTime() + verificationCodeMs);
  await accountMails.endNewAddresses(account.id, now);
  await accountMails.insert({ id, account_id: account.id, email, kind, language, created_at: now, expires_at }, code);
  return true;
}

/**
 * Consumes a code and gives the account its new address. The old address can no longer be used to sign in, and links
 * emailed to it become invalid.
 */
export async function confirmNewAddress(
  context: IdentityContext,
  account: PlatformAccount,
  code: string,
  language: Language,
): Promise<"changed" | "wrong" | "dead"> {
  const now = context.clock();
  const isRight = (mailId: string, stored: string): boolean => codeMatches(context.keyring, mailId, code, stored);
  const used = await context.accountMails.useCode(account.id, isRight, now);
  if (typeof used === "string") return used;
  const former = account.login_identifiers[0]?.email ?? "";
  // Another account may have verified the address since the code was sent.
  if (!(await context.accounts.replaceEmail(account.id, former, used.email, now))) return "dead";
  await context.passwordResets.endAllOf(account.id, now);
  await notifyOwner(context, "address_changed", { accountId: account.id, email: former, language });
  return "changed";
}

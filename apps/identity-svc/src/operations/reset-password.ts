import { hashToken, newId } from "@platform/kit/process/secrets";
import { sourceNetwork } from "@platform/kit/web/http";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { Language } from "../domain/page-language.ts";
import {
  type PasswordReset,
  passwordResetMs,
  resetsPerAddressMax,
  resetsPerSourceMax,
} from "../domain/password-reset.ts";
import type { IdentityContext } from "../identity-context.ts";
import { currentToken } from "./derived-tokens.ts";
import { forgetFailures } from "./sign-in.ts";

const purpose = "password-reset.link-token";

/**
 * Queues the email with a link for a forgotten password, if an account has the address and was not emailed too often.
 * The caller cannot find out whether this happened: the same counters and one record of the same size are written for
 * every address.
 * @param asked `source` is the IP address of the request
 * @returns null, or the time at which the source may try again
 */
export async function requestPasswordReset(
  context: IdentityContext,
  asked: { email: string; language: Language; source: string },
): Promise<Date | null> {
  const now = context.clock();
  const email = normalizeEmail(asked.email);
  const source = `password-reset source ${sourceNetwork(asked.source)}`;
  const lockedUntil = await context.signInFailures.countTry(source, resetsPerSourceMax, now);
  if (lockedUntil !== null) return lockedUntil;
  if ((await context.signInFailures.countTry(`password-reset address ${email}`, resetsPerAddressMax, now)) !== null) {
    return null;
  }
  const found = await context.accounts.findByEmail(email);
  const id = newId();
  const tokenSha256 = hashToken(currentToken(context.keyring, purpose, id));
  const expiresAt = new Date(now.getTime() + passwordResetMs);
  const reset = { id, language: asked.language, created_at: now, expires_at: expiresAt };
  if (found === null || found.account.disabled_at !== null)
    await context.passwordResets.insertForNobody(reset, tokenSha256);
  else await context.passwordResets.insert({ ...reset, account_id: found.account.id, email }, tokenSha256);
  return null;
}

/** Queues the email with a link that sets a new password, on behalf of support. */
export async function sendRecovery(
  context: IdentityContext,
  account: { readonly id: string; readonly email: string },
  language: Language,
): Promise<void> {
  const now = context.clock();
  const id = newId();
  const expires_at = new Date(now.getTime() + passwordResetMs);
  await context.passwordResets.insert(
    { id, language, account_id: account.id, email: account.email, created_at: now, expires_at },
    hashToken(currentToken(context.keyring, purpose, id)),
  );
}

/** Ends every session of an account, and notifies the gateways. @returns how many */
export async function endSessions(context: IdentityContext, accountId: string): Promise<number> {
  const ended = await context.sessions.revokeAllOf(accountId, context.clock());
  for (const id of ended) await context.announceChange({ kind: "session", id });
  return ended.length;
}

/**
 * Consumes a link and sets the password. The same write ends the account's sessions; its other links are invalidated
 * afterwards.
 * @param source IP address of the request; its failed sign-ins with the address are reset
 * @returns null if the link cannot be used
 */
export async function resetPassword(
  context: IdentityContext,
  token: string,
  password: string,
  source: string,
): Promise<PasswordReset | null> {
  const passwordHash = await context.passwords.hash(password);
  const reset = await context.passwordResets.use(hashToken(token), context.clock());
  if (reset === null) return null;
  const now = context.clock();
  await context.accounts.setPassword(reset.account_id, passwordHash, now);
  await context.passwordResets.endAllOf(reset.account_id, now);
  await endSessions(context, reset.account_id);
  await forgetFailures(context, reset.email, source);
  return reset;
}

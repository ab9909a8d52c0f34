import type { Language } from "../domain/page-language.ts";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { notifyOwner } from "./notify-owner.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { endSessions } from "./reset-password.ts";

/**
 * Sets a new password. The same write ends all sessions that were opened with the old one; emailed links are
 * invalidated afterwards.
 * @returns a new session for this browser
 */
export async function changePassword(
  context: IdentityContext,
  account: PlatformAccount,
  password: string,
  language: Language,
): Promise<OpenedSession> {
  const passwordHash = await context.passwords.hash(password);
  const now = context.clock();
  await context.accounts.setPassword(account.id, passwordHash, now);
  await context.passwordResets.endAllOf(account.id, now);
  await endSessions(context, account.id);
  const [identifier] = account.login_identifiers;
  if (identifier !== undefined) {
    await notifyOwner(context, "password_changed", { accountId: account.id, email: identifier.email, language });
  }
  // Only sessions that were authenticated after the change are valid.
  return openSession(context, account.id, new Date(now.getTime() + 1));
}

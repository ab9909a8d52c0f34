import { newId } from "@platform/kit/process/secrets";
import { type AccountMailKind, accountNoticeMs } from "../domain/account-mail.ts";
import type { Language } from "../domain/page-language.ts";
import type { IdentityContext } from "../identity-context.ts";

/** Queues an email about a change, so that the owner notices a change that someone else made. */
export async function notifyOwner(
  { accountMails, clock }: Pick<IdentityContext, "accountMails" | "clock">,
  kind: Extract<AccountMailKind, "address_changed" | "password_changed">,
  owner: { readonly accountId: string; readonly email: string; readonly language: Language },
): Promise<void> {
  const now = clock();
  const { accountId, email, language } = owner;
  const expiresAt = new Date(now.getTime() + accountNoticeMs);
  const mail = { id: newId(), account_id: accountId, email, kind, language, created_at: now, expires_at: expiresAt };
  await accountMails.insert(mail, null);
}

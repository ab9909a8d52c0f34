import { newId } from "@platform/kit/process/secrets";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { statusOf } from "../store/erasures.ts";
import { endSessions } from "./reset-password.ts";

/**
 * Starts the erasure of a person in every service. The account cannot sign in from now on. The erasure is stored first,
 * so that it is completed even if the process dies before the account is disabled; erasing also deletes its sessions.
 * @param email an address of the person in addition to those of the account; empty for none
 * @returns the id of the erasure
 */
export async function beginPersonErasure(
  context: IdentityContext,
  account: PlatformAccount | null,
  email: string,
): Promise<string> {
  const own = account?.login_identifiers.map((identifier) => identifier.email) ?? [];
  const emails = [...new Set([...own, ...(email === "" ? [] : [normalizeEmail(email)])])];
  const accountId = account?.id ?? null;
  const legacySubjects = await context.transactions.listSubjects(accountId, emails);
  const erasureId = newId();
  const subject = { clientId: null, accountId, emails, legacySubjects };
  await context.erasures.insert(erasureId, subject, context.keyring, context.clock());
  if (accountId !== null) {
    await context.accounts.disable(accountId, context.clock());
    await endSessions(context, accountId);
  }
  return erasureId;
}

/**
 * The progress of an erasure, as its person may see it. `delayed` means that a service gave up its part until an
 * operator retries it. Null if there is no such erasure.
 */
export async function erasureProgress(
  { erasures }: Pick<IdentityContext, "erasures">,
  erasureId: string,
): Promise<"open" | "delayed" | "done" | null> {
  const erasure = await erasures.find(erasureId);
  if (erasure === null) return null;
  const status = statusOf(erasure);
  if (status === "failed") return "delayed";
  return status === "done" ? "done" : "open";
}

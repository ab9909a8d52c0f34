import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { emailHint, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { languages } from "../../domain/page-language.ts";
import type { PlatformAccount } from "../../domain/platform-account.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { endSessions, sendRecovery } from "../../operations/reset-password.ts";
import { accountMessage, accountNotFound } from "./account-messages.ts";

type Rpcs = Implementation<typeof AccountSupportService>;

/** How operators find Platform Accounts and help their owners. */
export function accountServices(context: IdentityContext): ServedService[] {
  const implementation: Rpcs = {
    findAccounts: async ({ email, reveal }) => {
      if (email.trim() === "") throw invalidRequest("/email", "must not be empty");
      const found = await context.accounts.findByEmail(normalizeEmail(email));
      return { accounts: found === null ? [] : [accountMessage(found.account, reveal)] };
    },
    disableAccount: async ({ accountId }) => {
      const account = await context.accounts.disable(accountId, context.clock());
      if (account === null) throw accountNotFound();
      await endSessions(context, accountId);
      await context.passwordResets.endAllOf(accountId, context.clock());
      return { account: accountMessage(account) };
    },
    enableAccount: async ({ accountId }) => {
      const account = await context.accounts.enable(accountId);
      if (account === null) throw accountNotFound();
      return { account: accountMessage(account) };
    },
    sendAccountRecovery: async ({ accountId, language }) => {
      const wanted = languages.find((each) => each === (language === "" ? "en" : language));
      if (wanted === undefined) throw invalidRequest("/language", `must be ${languages.join(" or ")}`);
      const account = await requireAccount(context, accountId);
      const [identifier] = account.login_identifiers;
      if (account.disabled_at !== null) throw invalidRequest("/account_id", "is disabled; enable it first");
      if (identifier === undefined) throw invalidRequest("/account_id", "has no proven address to mail to");
      await sendRecovery(context, { id: account.id, email: identifier.email }, wanted);
      return { addressHint: emailHint(identifier.email) };
    },
    revokeAccountSessions: async ({ accountId }) => {
      await requireAccount(context, accountId);
      return { revoked: await endSessions(context, accountId) };
    },
  };
  return [implementForOperators(AccountSupportService, implementation)];
}

async function requireAccount(context: IdentityContext, accountId: string): Promise<PlatformAccount> {
  const account = await context.accounts.find(accountId);
  if (account === null) throw accountNotFound();
  return account;
}

import type { Implementation } from "@platform/kit/rpc/server";
import type { AccountAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { accountMessage, accountNotFound } from "./account-messages.ts";

type Rpc = Implementation<typeof AccountAdminService>["showAccount"];

export function showAccount(context: IdentityContext): Rpc {
  return async ({ accountId, reveal }) => {
    const account = await context.accounts.find(accountId);
    if (account === null) throw accountNotFound();
    return { account: accountMessage(account, reveal) };
  };
}

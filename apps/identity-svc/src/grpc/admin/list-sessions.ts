import type { Implementation } from "@platform/kit/rpc/server";
import type { AccountAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { accountNotFound, sessionMessage } from "./account-messages.ts";

type Rpc = Implementation<typeof AccountAdminService>["listSessions"];

export function listSessions(context: IdentityContext): Rpc {
  return async ({ accountId }) => {
    if ((await context.accounts.find(accountId)) === null) throw accountNotFound();
    const sessions = await context.sessions.listUsable(accountId, context.clock());
    return { sessions: sessions.map(sessionMessage) };
  };
}

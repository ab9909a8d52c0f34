import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { AccountAdminService } from "@platform/proto/identity/v1/identity_admin";
import { sessionLifetimeSeconds } from "../../domain/platform-session.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { openSession } from "../../operations/open-session.ts";
import { accountNotFound, sessionMessage } from "./account-messages.ts";

type Rpc = Implementation<typeof AccountAdminService>["createSession"];

export function createSession(context: IdentityContext): Rpc {
  return async (request) => {
    const secondsAgo = Number(request.authenticatedSecondsAgo);
    if (secondsAgo < 0 || secondsAgo > sessionLifetimeSeconds) {
      throw invalidRequest("/authenticated_seconds_ago", `must be from 0 to ${sessionLifetimeSeconds}`);
    }
    const account = await context.accounts.find(request.accountId);
    if (account === null) throw accountNotFound();
    if (account.disabled_at !== null) throw invalidRequest("/account_id", "is disabled; enable it first");
    const authenticatedAt = new Date(context.clock().getTime() - secondsAgo * 1000);
    const { session, token } = await openSession(context, account.id, authenticatedAt);
    return { session: sessionMessage(session), sessionToken: token };
  };
}

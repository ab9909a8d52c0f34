import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Implementation } from "@platform/kit/rpc/server";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { IdentityContext } from "../identity-context.ts";
import { findUsableSession } from "../operations/open-session.ts";
import { unauthenticated } from "./authenticate-project-credential.ts";

type Rpc = Implementation<typeof AuthenticationService>["authenticatePlatformSession"];

export function authenticatePlatformSession(context: IdentityContext): Rpc {
  return async ({ sessionId, secretSha256 }) => {
    const session = await findUsableSession(context, sessionId, Buffer.from(secretSha256).toString("hex"));
    if (session === null) throw unauthenticated();
    return {
      sessionId: session.id,
      accountId: session.account_id,
      authenticatedAt: timestampFromDate(session.authenticated_at),
    };
  };
}

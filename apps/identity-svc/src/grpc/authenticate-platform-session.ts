import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import { constantTimeEqual } from "@platform/service-kit/secrets/token";
import { isSessionUsable } from "../domain/platform-session.ts";
import type { IdentityContext } from "../identity-context.ts";
import { unauthenticated } from "./authenticate-project-credential.ts";

type Rpc = Implementation<typeof AuthenticationService>["authenticatePlatformSession"];

const noHash = "0".repeat(64);

export function authenticatePlatformSession(context: IdentityContext): Rpc {
  return async ({ sessionId, secretSha256 }) => {
    const found = await context.sessions.findWithHash(sessionId);
    const matches = constantTimeEqual(Buffer.from(secretSha256).toString("hex"), found?.secretSha256 ?? noHash);
    const now = context.clock();
    if (found === null || !matches || !isSessionUsable(found.session, now)) throw unauthenticated();
    await context.sessions.noteSeen(found.session, now);
    return {
      sessionId: found.session.id,
      accountId: found.session.account_id,
      authenticatedAt: timestampFromDate(found.session.authenticated_at),
    };
  };
}

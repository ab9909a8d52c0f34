import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { AccountAdminService } from "@platform/proto/identity/v1/identity_admin";
import { secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { closeSession } from "../../operations/open-session.ts";

type Rpc = Implementation<typeof AccountAdminService>["revokeSession"];

export function revokeSession(context: IdentityContext): Rpc {
  return async ({ sessionId }) => {
    if ((await closeSession(context, secretKeyIdOf(sessionId))) === null) {
      throw new ServiceError("platform_session_not_found", "There is no such Platform Session.");
    }
    return {};
  };
}

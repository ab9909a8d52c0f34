import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { projectCredentialNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["revokeProjectCredential"];

export function revokeProjectCredential(context: IdentityContext): Rpc {
  return async ({ credentialId }) => {
    const id = secretKeyIdOf(credentialId);
    const revoked = await context.credentials.revoke(id, context.clock());
    if (revoked === null) throw projectCredentialNotFound();
    await context.announceChange({ kind: "credential", id });
    return { projectCredential: projectCredentialMessage(revoked) };
  };
}

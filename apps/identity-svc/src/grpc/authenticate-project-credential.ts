import { constantTimeEqual } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { allowedScopesOf, isCredentialUsable } from "../domain/project-credential.ts";
import type { IdentityContext } from "../identity-context.ts";
import { projectClientMessage } from "./messages.ts";

type Rpc = Implementation<typeof AuthenticationService>["authenticateProjectCredential"];

/**
 * Used for the comparison if the credential does not exist; no secret has this hash. Hashes of secrets are compared in
 * constant time. The time of the look-up may reveal that an id exists: ids are not secret, and do not help to guess a
 * 256-bit secret.
 */
const noHash = "0".repeat(64);

export function authenticateProjectCredential(context: IdentityContext): Rpc {
  return async ({ credentialId, secretSha256, network }) => {
    const found = await context.credentials.findWithHash(credentialId);
    const presented = Buffer.from(secretSha256).toString("hex");
    const matches = constantTimeEqual(presented, found?.secretSha256 ?? noHash);
    const now = context.clock();
    if (found === null || !matches || !isCredentialUsable(found.credential, now)) throw unauthenticated();
    const { credential } = found;
    const client = await context.clients.find(credential.project_client_id);
    if (client === null) throw unauthenticated();
    context.credentialUses.note(credential.id, { at: now, network });
    return {
      credentialId: credential.id,
      projectClient: projectClientMessage(client, context.quotaDefaults),
      scopes: allowedScopesOf(credential, client),
      ...optionalTimestamp("expiresAt", credential.expires_at),
    };
  };
}

/** The same response for every unusable credential or session, so that they cannot be distinguished. */
export function unauthenticated(): ServiceError {
  return new ServiceError("unauthenticated", "The credential is missing, malformed, unknown, expired or revoked.");
}

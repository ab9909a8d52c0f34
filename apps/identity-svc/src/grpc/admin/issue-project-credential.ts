import { hashToken, newId, newToken } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { isScope, type ProjectCredential } from "../../domain/project-credential.ts";
import { formatSecretKey, secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { projectClientNotFound, requireText } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["issueProjectCredential"];

export function issueProjectCredential(context: IdentityContext): Rpc {
  return async (request) => {
    const client = await context.clients.find(request.projectClientId);
    if (client === null) throw projectClientNotFound();
    const scopes = [...new Set(request.scopes)];
    if (scopes.length === 0) throw invalidRequest("/scopes", "must name at least one scope");
    for (const scope of scopes) {
      if (!isScope(scope)) throw invalidRequest("/scopes", `"${scope.slice(0, 64)}" has not the form resource:act`);
    }
    const expiresAt = dateOrNull(request.expiresAt);
    if (expiresAt !== null && expiresAt <= context.clock()) {
      throw invalidRequest("/expires_at", "must be in the future");
    }
    const issued = await storeNewCredential(context, {
      project_client_id: client.id,
      name: request.name === "" ? "default" : requireText("/name", request.name, 120),
      scopes,
      expires_at: expiresAt,
    });
    return { projectCredential: projectCredentialMessage(issued.stored), credential: issued.credential };
  };
}

/** Makes and stores a credential; `credential` is the only copy of its secret. */
export async function storeNewCredential(
  context: IdentityContext,
  granted: Pick<ProjectCredential, "project_client_id" | "name" | "scopes" | "expires_at">,
): Promise<{ stored: ProjectCredential; credential: string }> {
  const secret = newToken();
  const stored: ProjectCredential = {
    ...granted,
    id: secretKeyIdOf(newId()),
    created_at: context.clock(),
    revoked_at: null,
    last_used_at: null,
    rotated_to_id: null,
  };
  await context.credentials.insert(stored, hashToken(secret));
  return { stored, credential: formatSecretKey("pcred", stored.id, secret) };
}

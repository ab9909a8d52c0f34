import { hashToken, newId, newToken } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import { noticeFact } from "@platform/operator-plane/platform-events";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "../../domain/project-client.ts";
import {
  allowedScopesOf,
  isCredentialUsable,
  isScope,
  type ProjectCredential,
  rotationOverlapSeconds,
} from "../../domain/project-credential.ts";
import { formatSecretKey, secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { projectClientNotFound, requireText } from "./refuse.ts";

type Rpcs = Implementation<typeof ProjectClientAdminService>;

const overlapSecondsMax = 90 * 24 * 60 * 60;
const dayMs = 86_400_000;
const daysMax = 3_650;

/** RPCs by which operators issue, rotate, revoke and list Project Credentials. */
export function projectCredentialRpcs(context: IdentityContext) {
  return {
    issueProjectCredential: async (request) => {
      const client = await context.clients.find(request.projectClientId);
      if (client === null) throw projectClientNotFound();
      const scopes = [...new Set(request.scopes)];
      if (scopes.length === 0) throw invalidRequest("/scopes", "must name at least one scope");
      for (const scope of scopes) {
        if (!isScope(scope)) throw invalidRequest("/scopes", `"${scope.slice(0, 64)}" has not the form resource:act`);
      }
      requireAllowed(client, scopes);
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
    },
    rotateProjectCredential: async (request) => {
      const overlapSeconds = Number(request.overlapSeconds ?? BigInt(rotationOverlapSeconds));
      if (overlapSeconds < 0 || overlapSeconds > overlapSecondsMax) {
        throw invalidRequest("/overlap_seconds", `must be from 0 to ${overlapSecondsMax}`);
      }
      const now = context.clock();
      const old = await context.credentials.find(secretKeyIdOf(request.credentialId));
      if (old === null) throw projectCredentialNotFound();
      if (!isCredentialUsable(old, now) || old.rotated_to_id !== null) throw notRotatable();
      const client = await context.clients.find(old.project_client_id);
      if (client === null) throw projectClientNotFound();
      // If scopes were removed from the client, the successor is issued without them.
      const scopes = allowedScopesOf(old, client);
      if (scopes.length === 0) requireAllowed(client, old.scopes);
      return replaceCredential(
        context,
        { ...old, scopes },
        { now, oldEnds: new Date(now.getTime() + overlapSeconds * 1000) },
      );
    },
    revokeProjectCredential: async ({ credentialId }) => {
      const id = secretKeyIdOf(credentialId);
      const revoked = await context.credentials.revoke(id, context.clock());
      if (revoked === null) throw projectCredentialNotFound();
      await context.announceChange({ kind: "credential", id });
      return { projectCredential: projectCredentialMessage(revoked) };
    },
    listProjectCredentials: async ({ projectClientId, expiresWithinDays, limit, cursor }) => {
      const clientId = projectClientId === "" ? null : projectClientId;
      if (clientId !== null && (await context.clients.find(clientId)) === null) throw projectClientNotFound();
      if (expiresWithinDays > daysMax) throw invalidRequest("/expires_within_days", `must be at most ${daysMax}`);
      const now = context.clock();
      const by = new Date(now.getTime() + expiresWithinDays * dayMs);
      const page = { limit, cursor };
      const { items, nextCursor } =
        expiresWithinDays === 0
          ? await context.credentials.list(clientId, page)
          : await context.credentials.listExpiring(clientId, { now, by }, page);
      return { projectCredentials: items.map(projectCredentialMessage), nextCursor };
    },
  } satisfies Partial<Rpcs>;
}

/** Throws scope_not_allowed unless operators allow the client every one of the scopes. */
function requireAllowed(client: ProjectClient, scopes: readonly string[]): void {
  const allowed = allowedScopesOf({ scopes }, client);
  const refused = scopes.filter((scope) => !allowed.includes(scope));
  if (refused.length === 0) return;
  throw new ServiceError(
    "scope_not_allowed",
    `This Project Client may not have ${refused.join(", ")}; an operator allows scopes by clients update --allowed-scopes.`,
    { details: { allowed_scopes: client.allowed_scopes ?? [] } },
  );
}

/** Issues a successor of a credential. The credential itself expires at `oldEnds`. */
async function replaceCredential(
  context: IdentityContext,
  old: ProjectCredential,
  { now, oldEnds }: { readonly now: Date; readonly oldEnds: Date },
) {
  // The successor is created first: after a crash in between, the project still has a working credential, and the
  // operator rotates again.
  const issued = await storeNewCredential(context, {
    project_client_id: old.project_client_id,
    name: old.name,
    scopes: old.scopes,
    // The new credential is valid for the same length of time as the old one was.
    expires_at:
      old.expires_at === null ? null : new Date(now.getTime() + old.expires_at.getTime() - old.created_at.getTime()),
  });
  const rotated = await context.credentials.markRotated(old.id, issued.stored.id, oldEnds, now);
  if (rotated === null) {
    await context.credentials.remove(issued.stored.id);
    throw notRotatable();
  }
  await context.announceChange({ kind: "credential", id: old.id });
  return {
    projectCredential: projectCredentialMessage(issued.stored),
    credential: issued.credential,
    rotated: projectCredentialMessage(rotated),
  };
}

/** Creates and stores a credential; `credential` is the only copy of its secret. */
async function storeNewCredential(
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
  const client = await context.clients.find(stored.project_client_id);
  const data = { scopes: [...stored.scopes], expires_at: stored.expires_at?.toISOString() ?? null };
  const fact = { resource: "credential", id: stored.id, state: "issued", data };
  const issued = noticeFact(fact, stored.created_at, client?.platform_events === true);
  await context.credentials.insert(stored, hashToken(secret), issued);
  return { stored, credential: formatSecretKey("pcred", stored.id, secret) };
}

function projectCredentialNotFound(): ServiceError {
  return new ServiceError("project_credential_not_found", "There is no such Project Credential.");
}

function notRotatable(): ServiceError {
  return new ServiceError(
    "project_credential_not_usable",
    "This Project Credential is revoked, has expired or was rotated already; issue a new one instead.",
  );
}

import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { isCredentialUsable, rotationOverlapSeconds } from "../../domain/project-credential.ts";
import { secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { storeNewCredential } from "./issue-project-credential.ts";
import { projectCredentialNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["rotateProjectCredential"];

const overlapSecondsMax = 90 * 24 * 60 * 60;

export function rotateProjectCredential(context: IdentityContext): Rpc {
  return async (request) => {
    const overlapSeconds = Number(request.overlapSeconds ?? BigInt(rotationOverlapSeconds));
    if (overlapSeconds < 0 || overlapSeconds > overlapSecondsMax) {
      throw invalidRequest("/overlap_seconds", `must be from 0 to ${overlapSecondsMax}`);
    }
    const now = context.clock();
    const old = await context.credentials.find(secretKeyIdOf(request.credentialId));
    if (old === null) throw projectCredentialNotFound();
    if (!isCredentialUsable(old, now) || old.rotated_to_id !== null) throw notRotatable();

    // The successor is created first: after a crash in between the project keeps a working credential and the operator rotates again.
    const issued = await storeNewCredential(context, {
      project_client_id: old.project_client_id,
      name: old.name,
      scopes: old.scopes,
      // It is valid for as long as the old one was issued for.
      expires_at:
        old.expires_at === null ? null : new Date(now.getTime() + old.expires_at.getTime() - old.created_at.getTime()),
    });
    const oldEnds = new Date(now.getTime() + overlapSeconds * 1000);
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
  };
}

function notRotatable(): ServiceError {
  return new ServiceError(
    "project_credential_not_usable",
    "This Project Credential is revoked, has expired or was rotated already; issue a new one instead.",
  );
}

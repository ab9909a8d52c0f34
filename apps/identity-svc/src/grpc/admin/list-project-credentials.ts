import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { projectClientNotFound } from "./refuse.ts";

const dayMs = 86_400_000;
const daysMax = 3_650;

type Rpc = Implementation<typeof ProjectClientAdminService>["listProjectCredentials"];

export function listProjectCredentials(context: IdentityContext): Rpc {
  return async ({ projectClientId, expiresWithinDays, limit, cursor }) => {
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
  };
}

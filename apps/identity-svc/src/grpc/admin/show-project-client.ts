import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["showProjectClient"];

export function showProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    const client = await context.clients.find(projectClientId);
    if (client === null) throw projectClientNotFound();
    return { projectClient: projectClientMessage(client, context.quotaDefaults) };
  };
}

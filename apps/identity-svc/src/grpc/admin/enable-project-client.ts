import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["enableProjectClient"];

export function enableProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    const client = await context.clients.setDisabled(projectClientId, null);
    if (client === null) throw projectClientNotFound();
    await context.announceChange({ kind: "client", id: projectClientId });
    return { projectClient: projectClientMessage(client, context.quotaDefaults) };
  };
}

import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["enableProjectClient"];

export function enableProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    const client = await context.clients.setDisabled(projectClientId, null);
    if (client === null) {
      if ((await context.clients.find(projectClientId)) === null) throw projectClientNotFound();
      throw new ServiceError("project_client_erased", "This Project Client was erased; make another one.");
    }
    await context.announceChange({ kind: "client", id: projectClientId });
    return { projectClient: projectClientMessage(client, context.quotaDefaults) };
  };
}

import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { IdentityContext } from "../identity-context.ts";
import { projectClientMessage } from "./messages.ts";

type Rpc = Implementation<typeof AuthenticationService>["getProjectClient"];

export function getProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    const client = await context.clients.find(projectClientId);
    if (client === null) throw new ServiceError("project_client_not_found", "There is no such Project Client.");
    return { projectClient: projectClientMessage(client, context.quotaDefaults) };
  };
}

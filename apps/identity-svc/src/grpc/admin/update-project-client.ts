import { defined } from "@platform/kit/process/fields";
import type { Implementation } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";
import { checkedReturnUris } from "./create-project-client.ts";
import { projectClientNotFound, requireText } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["updateProjectClient"];

export function updateProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId, name, returnUris, platformEvents }) => {
    if (name === undefined && returnUris === undefined && platformEvents === undefined)
      throw invalidRequest("/", "names nothing to change");
    const current = await context.clients.find(projectClientId);
    if (current === null) throw projectClientNotFound();
    const updated = await context.clients.update(projectClientId, {
      ...(name === undefined ? {} : { name: requireText("/name", name, 120) }),
      // The environment never changes, so what was read above still holds when this is written.
      ...(returnUris === undefined ? {} : { return_uris: checkedReturnUris(returnUris.values, current.environment) }),
      ...defined({ platform_events: platformEvents }),
    });
    if (updated === null) throw projectClientNotFound();
    await context.announceChange({ kind: "client", id: projectClientId });
    return { projectClient: projectClientMessage(updated, context.quotaDefaults) };
  };
}

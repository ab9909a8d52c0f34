import type { Implementation } from "@platform/kit/rpc/server";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { IdentityContext } from "../identity-context.ts";

type Rpc = Implementation<typeof AuthenticationService>["listDisabledProjectClients"];

const pageSizeMax = 10_000;

export function listPlatformEventClients(
  context: IdentityContext,
): Implementation<typeof AuthenticationService>["listPlatformEventClients"] {
  return async ({ afterId, pageSize }) => {
    const count = pageSize <= 0 ? pageSizeMax : Math.min(pageSize, pageSizeMax);
    return { projectClientIds: await context.clients.listPlatformEventsAfter(afterId, count) };
  };
}

export function listDisabledProjectClients(context: IdentityContext): Rpc {
  return async ({ afterId, pageSize }) => {
    const count = pageSize <= 0 ? pageSizeMax : Math.min(pageSize, pageSizeMax);
    return { projectClientIds: await context.clients.listDisabledAfter(afterId, count) };
  };
}

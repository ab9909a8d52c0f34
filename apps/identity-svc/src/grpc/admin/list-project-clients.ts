import type { Implementation } from "@platform/kit/rpc/server";
import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { projectClientMessage } from "../messages.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["listProjectClients"];

const pageSizeMax = 500;

export function listProjectClients(context: IdentityContext): Rpc {
  return async ({ afterId, pageSize }) => {
    const count = pageSize <= 0 ? pageSizeMax : Math.min(pageSize, pageSizeMax);
    const clients = await context.clients.listAfter(afterId, count);
    return { projectClients: clients.map((client) => projectClientMessage(client, context.quotaDefaults)) };
  };
}

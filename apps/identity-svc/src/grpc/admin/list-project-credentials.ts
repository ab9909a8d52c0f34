import type { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { IdentityContext } from "../../identity-context.ts";
import { projectCredentialMessage } from "../messages.ts";
import { projectClientNotFound } from "./refuse.ts";

type Rpc = Implementation<typeof ProjectClientAdminService>["listProjectCredentials"];

export function listProjectCredentials(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => {
    if ((await context.clients.find(projectClientId)) === null) throw projectClientNotFound();
    const credentials = await context.credentials.listOf(projectClientId);
    return { projectCredentials: credentials.map(projectCredentialMessage) };
  };
}

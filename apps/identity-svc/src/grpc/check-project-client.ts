import type { Implementation } from "@platform/kit/rpc/server";
import type { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { IdentityContext } from "../identity-context.ts";

type Rpc = Implementation<typeof AuthenticationService>["checkProjectClient"];

export function checkProjectClient(context: IdentityContext): Rpc {
  return async ({ projectClientId }) => ({ exists: (await context.clients.find(projectClientId)) !== null });
}

import type { identityOperations } from "@platform/contracts/operations/identity";
import type { HandlersFor } from "../handler.ts";
import { getProjectClient } from "./identity/get-project-client.ts";

/** Handlers of the operations identity-svc owns. */
export const identityHandlers = {
  "identity.getProjectClient": getProjectClient,
} satisfies Partial<HandlersFor<typeof identityOperations>>;

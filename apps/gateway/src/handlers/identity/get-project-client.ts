import type { DataOf } from "@platform/contracts/operation";
import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";

type Operation = (typeof identityOperations)["identity.getProjectClient"];

/** Returns the Project Client that authentication has found, without a call to a service. */
export const getProjectClient: Handler<Operation> = async ({ client: { id, name, environment, scopes } }) => ({
  data: { id, name, environment, scopes } as DataOf<Operation>,
});

import { isUuid } from "@platform/kit/process/secrets";
import { contractViolation } from "../failures.ts";

/** Returns the Project Client id in an operator's call. Throws if it is not an id. */
export function requireClientId(id: string): string {
  if (!isUuid(id))
    throw contractViolation("/project_client_id", "invalid_format", "must be the UUID of a Project Client");
  return id.toLowerCase();
}

import { isUuid } from "@platform/kit/process/secrets";
import { contractViolation } from "../failures.ts";

/** The Project Client an operator's call names. Throws unless it is an id. */
export function requireClientId(id: string): string {
  if (!isUuid(id))
    throw contractViolation("/project_client_id", "invalid_format", "must be the UUID of a Project Client");
  return id.toLowerCase();
}

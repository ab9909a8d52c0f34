import { ServiceError } from "./service-error.ts";

/**
 * The error for an operator's request with one violation.
 * @param path JSON Pointer of the field
 */
export function invalidRequest(path: string, message: string): ServiceError {
  return new ServiceError("contract_violation", `${path.slice(1)} ${message}`, {
    details: { violations: [{ path, code: "invalid", message }] },
  });
}

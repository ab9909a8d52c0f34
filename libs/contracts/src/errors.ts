import { domainErrors } from "./domain-errors.ts";
import { requestErrors } from "./request-errors.ts";

export type { ErrorRow } from "./error-row.ts";

/**
 * Every error code that the API returns, one row each. The gateway's error renderer, OpenAPI and the reference page
 * derive from this table. `idempotency_key_reused` has the status 422 here, and 409 on operations whose record says so.
 */
export const errorCodes = { ...requestErrors, ...domainErrors } as const;

export type ErrorCode = keyof typeof errorCodes;

/** Returns whether `code` is in the closed vocabulary. The gateway replaces any other code by internal_error. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

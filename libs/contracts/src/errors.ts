import { domainErrors } from "./domain-errors.ts";
import { requestErrors } from "./request-errors.ts";

export type { ErrorRow } from "./error-row.ts";

/**
 * Every error code that the API returns, one row each. The renderer at the edge, OpenAPI and the reference page derive from this table.
 * `idempotency_key_reused` is returned with 422 here and with 409 by operations whose record says so.
 */
export const errorCodes = { ...requestErrors, ...domainErrors } as const;

export type ErrorCode = keyof typeof errorCodes;

/** True if `code` is in the closed vocabulary. Any other code that reaches the edge becomes internal_error. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

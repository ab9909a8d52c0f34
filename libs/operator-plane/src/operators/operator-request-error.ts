import { ServiceError } from "@platform/kit/rpc/errors";

/**
 * Creates the error for an operator's request with one violation.
 * @param path JSON Pointer to the field
 */
export function invalidRequest(path: string, message: string): ServiceError {
  return new ServiceError("contract_violation", `${path.slice(1)} ${message}`, {
    details: { violations: [{ path, code: "invalid", message }] },
  });
}

/**
 * Creates the error for a caller, an operator or a machine, that has no permits left.
 * @param what the calls in the plural, such as "searches"
 */
export function tooManyConcurrentCalls(most: number, what: string): ServiceError {
  return new ServiceError(
    "too_many_concurrent_calls",
    `You have ${most} ${what} open, which is the limit: end one of them, or wait until one has ended.`,
    { details: { limit: most }, retryAfterSeconds: 1 },
  );
}

import {
  dependencyUnavailable,
  type RecognizeFailure,
  type ServiceError,
  toServiceError,
} from "../rpc/service-error.ts";

/** Is it a duplicate key error? Only a read can tell which key, because servers word the error differently. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/**
 * Is it a failure of the store: any error of the driver except a duplicate? Only the driver's errors (MongoError) have `hasErrorLabel`, so the
 * driver need not be loaded.
 */
export function isStoreFailure(error: unknown): boolean {
  const isOfDriver =
    error instanceof Error && typeof (error as { hasErrorLabel?: unknown }).hasErrorLabel === "function";
  return isOfDriver && !isDuplicateKey(error);
}

/**
 * Codes of refusals that another attempt only repeats or worsens: 13 Unauthorized, 18 AuthenticationFailed, 8000 AtlasError (a plan's limit),
 * 14031 OutOfDiskSpace, 462 IngressRequestRateLimitExceeded (overload). https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const finalCodes: readonly unknown[] = [13, 18, 462, 8_000, 14_031];

/** Is an immediate retry useless: the store is overloaded, full, or forbids it? */
export function isFinalFailure(error: unknown): boolean {
  const { code, hasErrorLabel } = error as { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (finalCodes.includes(code)) return true;
  return typeof hasErrorLabel === "function" && hasErrorLabel.call(error, "SystemOverloadedError");
}

/** The caller's error for a store failure: dependency_unavailable. */
export const recognizeStoreFailure: RecognizeFailure = (error) =>
  isStoreFailure(error) ? dependencyUnavailable(error) : null;

/** Maps what was thrown to the caller's error: a store failure is dependency_unavailable, anything unexpected is internal_error. */
export function answeredFor(error: unknown): ServiceError {
  return toServiceError(error, recognizeStoreFailure);
}

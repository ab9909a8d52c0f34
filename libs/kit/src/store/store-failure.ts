import {
  dependencyUnavailable,
  type RecognizeFailure,
  type ServiceError,
  toServiceError,
} from "../rpc/service-error.ts";

/**
 * Returns whether it is a duplicate key error. Only a read can tell which key, because servers word the error
 * differently.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/**
 * Returns whether it is a failure of the store: any error of the driver except a duplicate. Only the driver's errors
 * (MongoError) have `hasErrorLabel`, so the driver does not have to be loaded.
 */
export function isStoreFailure(error: unknown): boolean {
  const isOfDriver =
    error instanceof Error && typeof (error as { hasErrorLabel?: unknown }).hasErrorLabel === "function";
  return isOfDriver && !isDuplicateKey(error);
}

/**
 * Codes of errors that another attempt would only repeat or worsen: 13 Unauthorized, 18 AuthenticationFailed, 8000
 * AtlasError (a plan's limit), 14031 OutOfDiskSpace, 462 IngressRequestRateLimitExceeded (overload).
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const finalCodes: readonly unknown[] = [13, 18, 462, 8_000, 14_031];

/** Returns whether an immediate retry is useless, because the store is overloaded, full, or forbids it. */
export function isFinalFailure(error: unknown): boolean {
  const { code, hasErrorLabel } = error as { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (finalCodes.includes(code)) return true;
  return typeof hasErrorLabel === "function" && hasErrorLabel.call(error, "SystemOverloadedError");
}

/** The caller's error for a store failure: dependency_unavailable. */
export const recognizeStoreFailure: RecognizeFailure = (error) =>
  isStoreFailure(error) ? dependencyUnavailable(error) : null;

/**
 * Maps a thrown value to the caller's error: a store failure becomes dependency_unavailable, anything unexpected
 * internal_error.
 */
export function answeredFor(error: unknown): ServiceError {
  return toServiceError(error, recognizeStoreFailure);
}

import { dependencyUnavailable, isServiceError, ServiceError } from "../errors/service-error.ts";

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

/** Maps what was thrown to the caller's error: a store failure is dependency_unavailable, anything unexpected is internal_error. */
export function answeredFor(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (isStoreFailure(error)) return dependencyUnavailable(error);
  return new ServiceError("internal_error", "Something failed on our side.", { cause: error });
}

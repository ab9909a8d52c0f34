import {
  dependencyUnavailable,
  type RecognizeFailure,
  type ServiceError,
  toServiceError,
} from "../rpc/service-error.ts";

/**
 * Returns whether the error is a duplicate key error. Only a read can find out which key, because servers word the
 * error differently.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/**
 * Codes of a write that the server abandoned only because of a concurrent one, so that it changed nothing: 112
 * WriteConflict, and PostgreSQL's deadlock_detected (40P01) and serialization_failure (40001). FerretDB passes on
 * PostgreSQL's codes with six bits for each character, the first one lowest (MAKE_SQLSTATE in PostgreSQL's elog.h).
 */
const abandonedCodes: readonly unknown[] = [112, 0x1_02_00_04, 0x1_00_00_04];

/** Returns whether the server abandoned a write because of a concurrent one. It changed nothing and may be repeated. */
export function isAbandoned(error: unknown): boolean {
  return abandonedCodes.includes((error as { code?: unknown } | null)?.code);
}

/** Returns whether a write lost against a concurrent one: the other one has its key, or the server abandoned it. */
export function isConflict(error: unknown): boolean {
  return isDuplicateKey(error) || isAbandoned(error);
}

/**
 * Returns whether the error is a failure of the store, which is any error of the driver except a duplicate. The error
 * is recognized by `hasErrorLabel`, which only the driver's errors (MongoError) have, so the driver does not have to be
 * loaded.
 */
export function isStoreFailure(error: unknown): boolean {
  const isOfDriver =
    error instanceof Error && typeof (error as { hasErrorLabel?: unknown }).hasErrorLabel === "function";
  return isOfDriver && !isDuplicateKey(error);
}

/**
 * Codes of errors for which another attempt would fail as well or worsen the problem: 13 Unauthorized, 18
 * AuthenticationFailed, 8000 AtlasError (a plan's limit), 14031 OutOfDiskSpace, 462 IngressRequestRateLimitExceeded
 * (overload). https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const finalCodes: readonly unknown[] = [13, 18, 462, 8_000, 14_031];

/** Returns whether an immediate retry is useless because the store is overloaded, is full, or forbids the operation. */
export function isFinalFailure(error: unknown): boolean {
  const { code, hasErrorLabel } = error as { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (finalCodes.includes(code)) return true;
  return typeof hasErrorLabel === "function" && hasErrorLabel.call(error, "SystemOverloadedError");
}

/** The caller's error for a store failure: dependency_unavailable. */
export const recognizeStoreFailure: RecognizeFailure = (error) =>
  isStoreFailure(error) ? dependencyUnavailable(error) : null;

/**
 * Converts a thrown value to the error for the caller. A store failure becomes dependency_unavailable, and anything
 * unexpected becomes internal_error.
 */
export function answeredFor(error: unknown): ServiceError {
  return toServiceError(error, recognizeStoreFailure);
}

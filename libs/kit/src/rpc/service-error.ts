import { defined } from "../process/defined.ts";
import type { Violation } from "./violation.ts";

/** Optional properties of a ServiceError. */
export type ServiceErrorOptions = {
  /** The `details` object of the API's error response. It must be safe to show to the caller. */
  details?: Record<string, unknown> & { readonly violations?: readonly Violation[] };
  /** Seconds after which a retry is useful. */
  retryAfterSeconds?: number;
  /** False if certainly nothing was started, so that the caller's charge can be refunded; absent if that is unknown. */
  begun?: false;
  cause?: unknown;
};

/**
 * The only error that callers receive. `code` is one of the published error codes. `message` is shown to the caller, so
 * it must not name an internal host, collection or file. Any other error becomes internal_error without details.
 */
export class ServiceError extends Error {
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  /** False if certainly nothing was started. Callers of the public API never see this. */
  readonly begun: false | undefined;

  constructor(code: string, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.begun = options.begun;
  }
}

/** True if the error is a ServiceError and, if `code` is given, has this code. */
export function isServiceError(error: unknown, code?: string): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}

/**
 * Returns whether a service rejected this request, as opposed to being unavailable for every request. The same request
 * may be rejected forever, so it must not delay others.
 */
export function isRefusal(error: unknown): error is ServiceError {
  return isServiceError(error) && !outages.includes(error.code);
}

const outages = ["dependency_unavailable", "deadline_exceeded", "unauthenticated", "permission_denied"];

/**
 * Recognizes failures of one kind of dependency, such as a database. Returns the error for the caller, or null for any
 * other failure. Passing such a function to a layer keeps the layer independent of the dependency.
 */
export type RecognizeFailure = (error: unknown) => ServiceError | null;

/**
 * Converts a thrown value to the error for the caller. A failure that is not recognized becomes internal_error, without
 * details.
 */
export function toServiceError(error: unknown, recognize: RecognizeFailure = () => null): ServiceError {
  if (isServiceError(error)) return error;
  return recognize(error) ?? new ServiceError("internal_error", "Something failed on our side.", { cause: error });
}

/** Creates the error of a hop that cannot reach a dependency. */
export function dependencyUnavailable(cause?: unknown): ServiceError {
  return new ServiceError(
    "dependency_unavailable",
    "A part of the platform that this operation needs is unavailable; try again shortly.",
    {
      retryAfterSeconds: 1,
      ...defined({ cause }),
    },
  );
}

/** Creates the error of a hop whose deadline passed before the work was done. */
export function deadlineExceeded(cause?: unknown): ServiceError {
  return new ServiceError("deadline_exceeded", lateMessage, defined({ cause }));
}

/** Creates the error of a service whose deadline had passed before it started the work. */
export function deadlinePassedBefore(): ServiceError {
  return new ServiceError("deadline_exceeded", lateMessage, { begun: false });
}

const lateMessage = "The operation did not finish in time; retry it.";

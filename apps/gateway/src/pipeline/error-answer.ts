import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes, isErrorCode } from "@platform/contracts/errors";
import type { Operation } from "@platform/contracts/operation";
import { isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import type { Answer } from "./exchange.ts";

/** Whatever was thrown, as an error of the closed vocabulary. */
export function knownError(error: unknown): ServiceError & { code: ErrorCode } {
  const known =
    isServiceError(error) && isErrorCode(error.code)
      ? error
      : new ServiceError("internal_error", "Something failed on our side; quote the correlation id.", { cause: error });
  return known as ServiceError & { code: ErrorCode };
}

/** The error envelope: the one renderer of every error body. */
export function errorAnswer(
  error: ServiceError & { code: ErrorCode },
  correlationId: string,
  operation: Operation | null,
): Answer & { kind: "body" } {
  const { retryable } = errorCodes[error.code];
  const headers: Record<string, string> = {};
  if (error.code === "unauthenticated") headers["www-authenticate"] = "Bearer";
  const retryAfter = error.retryAfterSeconds ?? defaultRetryAfter[error.code];
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  const body = {
    error: {
      code: error.code,
      message: error.message,
      retryable,
      correlation_id: correlationId,
      details: error.details,
    },
  };
  return { kind: "body", status: errorStatus(error.code, operation), headers, body: JSON.stringify(body) };
}

const defaultRetryAfter: Partial<Record<ErrorCode, number>> = { dependency_unavailable: 1, idempotency_in_progress: 1 };

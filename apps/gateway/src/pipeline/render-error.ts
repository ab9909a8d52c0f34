import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes, isErrorCode } from "@platform/contracts/errors";
import type { Operation } from "@platform/contracts/operation";
import { isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import { pageErrorAnswer, wantsPage } from "./page-error.ts";

/** An error of the closed vocabulary. */
export type KnownError = ServiceError & { readonly code: ErrorCode };

/** Maps whatever was thrown to an error of the closed vocabulary. */
export function knownError(error: unknown): KnownError {
  const known =
    isServiceError(error) && isErrorCode(error.code)
      ? error
      : new ServiceError("internal_error", "Something failed on our side; quote the correlation id.", { cause: error });
  return known as KnownError;
}

const defaultRetryAfter: Partial<Record<ErrorCode, number>> = { dependency_unavailable: 1, idempotency_in_progress: 1 };

/** The error envelope. All error bodies are rendered here. */
export function errorAnswer(
  error: KnownError,
  correlationId: string,
  operation: Operation | null,
): Answer & { kind: "body" } {
  const { retryable } = errorCodes[error.code];
  const headers: Record<string, string> = {};
  if (error.code === "unauthenticated") headers["www-authenticate"] = "Bearer";
  const retryAfter = error.retryAfterSeconds ?? defaultRetryAfter[error.code];
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  const { code, message, details } = error;
  const body = { error: { code, message, retryable, correlation_id: correlationId, details } };
  return { kind: "body", status: errorStatus(code, operation), headers, body: JSON.stringify(body) };
}

/** The answer to a refused request: a page for browsers on a page's path, else the envelope. Files have no error pages. */
export function refusalAnswer(
  error: KnownError,
  { request, correlationId, operation }: Pick<Exchange, "request" | "correlationId" | "operation">,
): Answer & { kind: "body" } {
  const answer = errorAnswer(error, correlationId, operation);
  const isPage = operation.transport === "proxy" && operation.upstream !== "files" && wantsPage(request);
  return isPage ? pageErrorAnswer(answer, correlationId, request) : answer;
}

/** Turns errors of later stages into the answer. Unexpected errors are logged here, once, with their stack. */
export function renderError(logger: Logger): Stage {
  return async (exchange, next) => {
    try {
      return await next();
    } catch (thrown) {
      const error = knownError(thrown);
      exchange.errorCode = error.code;
      if (error.code === "internal_error" || error.code === "dependency_unavailable") {
        const { correlationId, operation } = exchange;
        logger.error(
          { err: error.cause ?? error, correlation_id: correlationId, operation: operation.id, code: error.code },
          "request failed",
        );
      }
      return refusalAnswer(error, exchange);
    }
  };
}

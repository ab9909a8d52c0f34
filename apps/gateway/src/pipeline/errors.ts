import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes, isErrorCode } from "@platform/contracts/errors";
import type { Operation } from "@platform/contracts/operation";
import type { Violation } from "@platform/contracts/violations";
import type { Logger } from "@platform/kit/process/telemetry";
import { isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import type { UsageReporter } from "@platform/operator-plane/usage";
import { countRefusal } from "./count-refusal.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import { pageErrorAnswer, wantsPage } from "./page-error.ts";

/** Creates the error for a request that violates the contract, with every violation. */
export function contractViolation(violations: readonly Violation[]): ServiceError {
  const first = violations[0];
  const place = first === undefined ? "" : `: ${first.path} ${first.message}`;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, see details.violations)` : "";
  return new ServiceError("contract_violation", `The request violates the contract${place}${more}.`, {
    details: { violations },
  });
}

/** Creates the error 503 for a process that is full, or has no memory for another large body. */
export function processFull(): ServiceError {
  return new ServiceError("dependency_unavailable", "The platform is at its limit; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/** Creates the error 429 for a hard quota that is reached. */
export function quotaExceeded(
  resource: string,
  refusal: { used: number; limit: number; retryAfterSeconds: number },
): ServiceError {
  return new ServiceError("platform_quota_exceeded", `The Project Client's hard quota for ${resource} is reached.`, {
    details: { resource, used: refusal.used, limit: refusal.limit, retry_after_seconds: refusal.retryAfterSeconds },
    retryAfterSeconds: refusal.retryAfterSeconds,
  });
}

/** Creates the error for a key that was used with a different request. */
export function idempotencyKeyReused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used before with a different request; use a new key, or repeat the first request unchanged.",
  );
}

/** Creates the error for a key whose first request is still running. */
export function idempotencyInProgress(): ServiceError {
  return new ServiceError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running; try again shortly.",
    {
      retryAfterSeconds: 1,
    },
  );
}

/** An error of the closed vocabulary. */
export type KnownError = ServiceError & { readonly code: ErrorCode };

/** Converts any thrown value to an error of the closed vocabulary. */
export function knownError(error: unknown): KnownError {
  const known =
    isServiceError(error) && isErrorCode(error.code)
      ? error
      : new ServiceError(
          "internal_error",
          "The platform has failed unexpectedly; quote the correlation id when you report it.",
          { cause: error },
        );
  return known as KnownError;
}

const defaultRetryAfter: Partial<Record<ErrorCode, number>> = { dependency_unavailable: 1, idempotency_in_progress: 1 };

/** Renders the error envelope. Every error body is rendered here. */
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

/**
 * Renders the response to a rejected request: a page for a browser on the path of a page, otherwise the envelope. Files
 * have no error pages.
 */
export function refusalAnswer(
  error: KnownError,
  { request, correlationId, operation }: Pick<Exchange, "request" | "correlationId" | "operation">,
): Answer & { kind: "body" } {
  const answer = errorAnswer(error, correlationId, operation);
  const isPage = operation.transport === "proxy" && operation.upstream !== "files" && wantsPage(request);
  return isPage ? pageErrorAnswer(answer, correlationId, request) : answer;
}

/**
 * Creates the stage that turns errors of later stages into responses, and counts rejected requests of Project Clients.
 * Unexpected errors are logged here, once, with their stack.
 */
export function renderError(logger: Logger, usage: Pick<UsageReporter, "count">): Stage {
  return async (exchange, next) => {
    try {
      return await next();
    } catch (thrown) {
      const error = knownError(thrown);
      exchange.errorCode = error.code;
      countRefusal(usage, exchange.client?.id, error.code);
      if (error.code === "internal_error" || error.code === "dependency_unavailable") {
        const { correlationId, operation } = exchange;
        logger.error(
          { err: error.cause ?? error, correlation_id: correlationId, operation: operation.id, code: error.code },
          "a request failed",
        );
      }
      return refusalAnswer(error, exchange);
    }
  };
}

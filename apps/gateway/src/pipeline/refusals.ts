import type { Violation } from "@platform/contracts/violations";
import { ServiceError } from "@platform/service-kit/errors/service-error";

/** The error of a request that violates the contract, naming every violation. */
export function contractViolation(violations: readonly Violation[]): ServiceError {
  const first = violations[0];
  const place = first === undefined ? "" : `: ${first.path} ${first.message}`;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, see details.violations)` : "";
  return new ServiceError("contract_violation", `The request violates the contract${place}${more}.`, {
    details: { violations },
  });
}

/** 503: this process is full, or has no memory for another large body. */
export function processFull(): ServiceError {
  return new ServiceError("dependency_unavailable", "The platform is at its limit; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/** 429: a hard quota is reached. */
export function quotaExceeded(
  resource: string,
  refusal: { used: number; limit: number; retryAfterSeconds: number },
): ServiceError {
  return new ServiceError("platform_quota_exceeded", `The Project Client's hard quota for ${resource} is reached.`, {
    details: { resource, used: refusal.used, limit: refusal.limit, retry_after_seconds: refusal.retryAfterSeconds },
    retryAfterSeconds: refusal.retryAfterSeconds,
  });
}

/** The key was used with another request. */
export function idempotencyKeyReused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used before with a different request; use a new key, or repeat the first request unchanged.",
  );
}

/** The first request with the key is still running. */
export function idempotencyInProgress(): ServiceError {
  return new ServiceError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running; try again shortly.",
    {
      retryAfterSeconds: 1,
    },
  );
}

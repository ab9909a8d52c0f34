import { ServiceError } from "@platform/service-kit/errors/service-error";

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

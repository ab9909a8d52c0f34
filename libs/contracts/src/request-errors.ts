import { type ErrorRow, row } from "./error-row.ts";

/** Codes of the request itself or of the platform's state, for any operation. */
export const requestErrors = {
  unauthenticated: row(
    401,
    false,
    "The credential is missing, malformed, unknown, expired or revoked.",
    "Send a valid credential as `Authorization: Bearer …`.",
  ),
  insufficient_scope: row(
    403,
    false,
    "The credential lacks the scope named in details.required_scope.",
    "Use a credential with that scope.",
  ),
  recent_authentication_required: row(
    403,
    false,
    "The Platform Session was authenticated too long ago; sign in again.",
    "Sign in, then repeat.",
  ),
  project_client_disabled: row(
    403,
    false,
    "The Project Client has been disabled by an operator.",
    "Ask the operator of the platform.",
  ),
  route_not_found: row(404, false, "No operation has this path.", "Check the path; every path begins with /api/v1."),
  method_not_allowed: row(
    405,
    false,
    "The path exists, but not with this method; see the Allow header.",
    "Use one of those.",
  ),
  idempotency_in_progress: row(
    409,
    true,
    "The first request with this Idempotency-Key is still running.",
    "Repeat with the same key after Retry-After.",
  ),
  payload_too_large: row(
    413,
    false,
    "The request body is larger than this operation accepts.",
    "Send less: 1 MiB at most, 4 MiB for catalog validation.",
  ),
  unsupported_media_type: row(
    415,
    false,
    "The request body is sent with a media type this operation does not accept.",
    "Send `application/json`, or an accepted type for uploads.",
  ),
  contract_violation: row(
    422,
    false,
    "The request violates the contract; details.violations lists every place.",
    "Correct each listed path.",
  ),
  idempotency_key_reused: row(
    422,
    false,
    "The Idempotency-Key was used before with a different request.",
    "Use a new key for a new request.",
  ),
  platform_quota_exceeded: row(
    429,
    true,
    "The Project Client's hard quota is reached; see details and Retry-After.",
    "Wait for Retry-After, or ask for a higher quota.",
  ),
  internal_error: row(
    500,
    true,
    "Something failed on our side; quote the correlation id.",
    "Repeat with the same Idempotency-Key, then report the correlation id.",
  ),
  dependency_unavailable: row(
    503,
    true,
    "A part of the platform this operation needs is unavailable; try again shortly.",
    "Repeat after Retry-After.",
  ),
  deadline_exceeded: row(
    504,
    true,
    "The operation did not finish in time; retry with the same Idempotency-Key.",
    "Repeat with the same Idempotency-Key.",
  ),
} as const satisfies Record<string, ErrorRow>;

import { type ErrorRow, row } from "./error-row.ts";

/** Error codes that concern the request itself or the platform's state. Any operation may return them. */
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
    "The credential does not have the scope named in details.required_scope.",
    "Use a credential with that scope.",
  ),
  recent_authentication_required: row(
    403,
    false,
    "The Platform Session was authenticated too long ago; sign in again.",
    "Ask the person to sign in, then send the request again.",
  ),
  project_client_disabled: row(
    403,
    false,
    "An operator has disabled the Project Client.",
    "Ask the operator of the platform.",
  ),
  route_not_found: row(404, false, "No operation has this path.", "Check the path; every path begins with /api/v1."),
  method_not_allowed: row(
    405,
    false,
    "The path exists, but not with this method; see the Allow header.",
    "Use a method that the Allow header lists.",
  ),
  idempotency_in_progress: row(
    409,
    true,
    "The first request with this Idempotency-Key is still in progress.",
    "After the time in Retry-After, send the request again with the same key.",
  ),
  payload_too_large: row(
    413,
    false,
    "The request body is larger than this operation accepts.",
    "Send a smaller body: at most 1 MiB, or 4 MiB for catalog validation.",
  ),
  unsupported_media_type: row(
    415,
    false,
    "The request body has a media type that this operation does not accept.",
    "Send `application/json`, or for uploads one of the accepted types.",
  ),
  contract_violation: row(
    422,
    false,
    "The request violates the contract; details.violations lists every violation.",
    "Correct the field at each listed path.",
  ),
  idempotency_key_reused: row(
    422,
    false,
    "The Idempotency-Key was used earlier for a different request.",
    "Use a new key for a new request.",
  ),
  platform_quota_exceeded: row(
    429,
    true,
    "The Project Client has reached a hard quota; see details and Retry-After.",
    "Wait for the time in Retry-After, or ask the operator for a higher quota.",
  ),
  internal_error: row(
    500,
    true,
    "The platform has failed unexpectedly; quote the correlation id when you report it.",
    "Send the request again with the same Idempotency-Key. If it fails again, report the correlation id.",
  ),
  dependency_unavailable: row(
    503,
    true,
    "A part of the platform that this operation needs is unavailable; try again shortly.",
    "Send the request again after the time in Retry-After.",
  ),
  deadline_exceeded: row(
    504,
    true,
    "The operation did not finish in time; send the request again with the same Idempotency-Key.",
    "Send the request again with the same Idempotency-Key.",
  ),
} as const satisfies Record<string, ErrorRow>;

/** One row of the closed error vocabulary: the status it is answered with, whether the same request may succeed later, and what it means. */
export type ErrorRow = {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
};

const row = (status: number, retryable: boolean, meaning: string): ErrorRow => ({ status, retryable, meaning });

/**
 * Every error code the service answers, one row each. The renderer at the edge, OpenAPI and the reference page derive from this table.
 * `idempotency_key_reused` is answered 422 here and 409 by operations whose record says so.
 */
export const errorCodes = {
  unauthenticated: row(401, false, "The credential is missing, malformed, unknown, expired or revoked."),
  insufficient_scope: row(403, false, "The credential lacks the scope named in details.required_scope."),
  recent_authentication_required: row(
    403,
    false,
    "The Platform Session was authenticated too long ago; sign in again.",
  ),
  project_client_disabled: row(403, false, "The Project Client has been disabled by an operator."),
  identity_migration_transaction_not_found: row(
    422,
    false,
    "No such Identity Migration Transaction in this Project Client.",
  ),
  route_not_found: row(404, false, "No operation has this path."),
  download_not_found: row(404, false, "The download URL is wrong, has expired or belongs to nothing."),
  method_not_allowed: row(405, false, "The path exists, but not with this method; see the Allow header."),
  idempotency_in_progress: row(409, true, "The first request with this Idempotency-Key is still running."),
  payload_too_large: row(413, false, "The request body is larger than this operation accepts."),
  unsupported_media_type: row(415, false, "The request body is sent with a media type this operation does not accept."),
  range_not_satisfiable: row(416, false, "The requested range lies outside the file."),
  contract_violation: row(422, false, "The request violates the contract; details.violations lists every place."),
  idempotency_key_reused: row(422, false, "The Idempotency-Key was used before with a different request."),
  project_client_mismatch: row(422, false, "project_client_id is not the calling Project Client."),
  identity_migration_transaction_expired: row(422, false, "The transaction has passed its expires_at."),
  identity_migration_state_conflict: row(422, false, "The transaction is not in a state that allows this."),
  flow_token_invalid: row(422, false, "The flow token is not this transaction's."),
  flow_token_locked: row(422, false, "Too many wrong flow tokens were tried; create a new transaction."),
  email_not_owned: row(422, false, "The account does not own the asserted email address."),
  email_not_verified: row(422, false, "The account has no email verified since the transaction was created."),
  account_already_linked: row(422, false, "Another account, or this legacy subject already, is linked."),
  return_uri_not_allowed: row(422, false, "return_uri is not on the Project Client's allow-list."),
  verification_link_invalid: row(422, false, "The verification link is wrong, used or has expired."),
  upload_token_invalid: row(422, false, "The upload token is wrong, used or has expired; obtain a new grant."),
  upload_checksum_mismatch: row(422, false, "The uploaded bytes do not have the declared SHA-256."),
  upload_too_large: row(422, false, "The upload is larger than the grant's maximum_bytes."),
  upload_content_type_mismatch: row(422, false, "The upload's content type is not the declared one."),
  upload_grant_already_issued: row(
    422,
    false,
    "This Idempotency-Key already issued a grant; its token is returned only once.",
  ),
  file_object_not_found: row(422, false, "No such File Object in this Project Client."),
  file_object_not_uploaded: row(422, false, "No bytes have been uploaded for this File Object yet."),
  file_object_not_available: row(422, false, "The File Object is not available."),
  image_preset_not_found: row(422, false, "No such approved image preset."),
  file_object_not_image: row(422, false, "The File Object is not an image."),
  delivery_endpoint_not_found: row(422, false, "No such Delivery Endpoint in this Project Client."),
  delivery_endpoint_not_verified: row(422, false, "The Delivery Endpoint has not been verified."),
  delivery_endpoint_revoked: row(422, false, "The Delivery Endpoint has been revoked."),
  verification_token_invalid: row(422, false, "The verification token is wrong or was used."),
  verification_token_expired: row(422, false, "The verification token has expired; register again."),
  verification_locked: row(422, false, "Too many wrong verification tokens were tried; register again."),
  sender_profile_not_found: row(422, false, "No such sender profile in this Project Client."),
  template_not_found: row(422, false, "No template has this key, channel and locale."),
  template_variables_mismatch: row(
    422,
    false,
    "The variables are not those the template declares; details.violations lists them.",
  ),
  channel_mismatch: row(422, false, "Sender profile, template and endpoint are not of one channel."),
  consent_required: row(422, false, "The endpoint has not granted consent for this purpose."),
  consent_withdrawn: row(422, false, "The recipient has unsubscribed from this purpose."),
  notification_delivery_not_found: row(422, false, "No such delivery in this Project Client."),
  stream_sequence_conflict: row(422, false, "The stream already has another event at this sequence."),
  scheduled_url_not_allowed: row(
    422,
    false,
    "The url may not be called from this environment; details.reason says why.",
  ),
  decision_token_invalid: row(422, false, "The ad decision token is not one this service signed."),
  decision_token_expired: row(422, false, "The ad decision token has expired."),
  viewability_not_met: row(422, false, "The impression does not meet the viewability threshold of its format."),
  platform_quota_exceeded: row(429, true, "The Project Client's hard quota is reached; see details and Retry-After."),
  internal_error: row(500, true, "Something failed on our side; quote the correlation id."),
  dependency_unavailable: row(
    503,
    true,
    "A part of the platform this operation needs is unavailable; try again shortly.",
  ),
  deadline_exceeded: row(504, true, "The operation did not finish in time; retry with the same Idempotency-Key."),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCodes;

/** Is `code` one of the closed vocabulary? Anything else that reaches the edge is answered as internal_error. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

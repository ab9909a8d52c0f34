import { type ErrorCode, errorCodes } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** Returns the status of `code` on `operation`, or the vocabulary's own status if no route matched. */
export function errorStatus(code: ErrorCode, operation: Operation | null = null): number {
  if (code === "idempotency_key_reused" && operation?.idempotency) return operation.idempotency.reusedStatus;
  return operation?.errorStatuses?.[code] ?? errorCodes[code].status;
}

/**
 * Returns every error code that `operation` can return: its own domain errors and those that its record implies. Codes
 * of requests that match no operation (`route_not_found`, `method_not_allowed`) are not included.
 */
export function answerableErrors(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>();
  if (operation.auth.scheme !== "none") codes.add("unauthenticated");
  if (operation.auth.scheme === "projectCredential") {
    codes.add("insufficient_scope").add("project_client_disabled").add("platform_quota_exceeded");
  }
  if (operation.auth.scheme === "platformSession") codes.add("recent_authentication_required");
  if (operation.body !== null) codes.add("payload_too_large").add("unsupported_media_type");
  const { params, body, idempotency, correlationIdDeclared } = operation;
  if (params !== null || body !== null || idempotency !== null || correlationIdDeclared) {
    codes.add("contract_violation");
  }
  if (idempotency !== null) codes.add("idempotency_key_reused").add("idempotency_in_progress");
  for (const code of operation.errors) codes.add(code);
  return [...codes.add("internal_error").add("dependency_unavailable").add("deadline_exceeded")];
}

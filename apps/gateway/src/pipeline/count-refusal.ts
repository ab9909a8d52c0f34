import type { ErrorCode } from "@platform/contracts/errors";
import type { requestErrors } from "@platform/contracts/request-errors";
import type { UsageReporter } from "@platform/operator-plane/usage";

/** Kinds by which rejected requests of a Project Client are counted, in addition to its usage. */
type RefusalKind = "refused_quota" | "refused_overload" | "refused_access" | "refused_validation" | "refused_operation";

/**
 * The kind of each error. It is null for failures of the platform, which are not rejections, and for paths that do not
 * exist, which belong to no Project Client.
 */
const kindOfRequestError: Readonly<Record<keyof typeof requestErrors, RefusalKind | null>> = {
  unauthenticated: "refused_access",
  insufficient_scope: "refused_access",
  recent_authentication_required: "refused_access",
  project_client_disabled: "refused_access",
  route_not_found: null,
  method_not_allowed: null,
  idempotency_in_progress: "refused_operation",
  payload_too_large: "refused_validation",
  unsupported_media_type: "refused_validation",
  contract_violation: "refused_validation",
  idempotency_key_reused: "refused_operation",
  platform_quota_exceeded: "refused_quota",
  internal_error: null,
  dependency_unavailable: "refused_overload",
  deadline_exceeded: null,
};

/**
 * Counts a rejected request of a Project Client. A request without an accepted credential has no client and is not
 * counted, so the number of counters is limited by the number of clients.
 */
export function countRefusal(usage: Pick<UsageReporter, "count">, clientId: string | undefined, code: ErrorCode): void {
  if (clientId === undefined) return;
  const kind =
    code in kindOfRequestError ? kindOfRequestError[code as keyof typeof requestErrors] : "refused_operation";
  if (kind !== null) usage.count(clientId, kind, 1);
}

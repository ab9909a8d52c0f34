import type { ErrorCode } from "@platform/contracts/errors";
import type { requestErrors } from "@platform/contracts/request-errors";
import type { UsageReporter } from "@platform/operator-plane/usage";

/** Kinds under which refused requests of a Project Client are counted, alongside its usage. */
type RefusalKind = "refused_quota" | "refused_overload" | "refused_access" | "refused_validation" | "refused_operation";

/** Failures of ours are no refusals; a path that does not exist has no Project Client. */
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
 * Counts a refused request for its Project Client. A request whose credential was not accepted has none and is not counted, so that the counts are
 * bounded by the number of clients.
 */
export function countRefusal(usage: Pick<UsageReporter, "count">, clientId: string | undefined, code: ErrorCode): void {
  if (clientId === undefined) return;
  const kind =
    code in kindOfRequestError ? kindOfRequestError[code as keyof typeof requestErrors] : "refused_operation";
  if (kind !== null) usage.count(clientId, kind, 1);
}

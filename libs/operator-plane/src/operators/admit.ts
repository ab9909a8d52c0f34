import type { Operator, RoleName } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import { rolesOf } from "./access.ts";

const revealRoles: readonly RoleName[] = ["support", "security", "root"];

/**
 * May the operator make this call?
 * @returns whether the call is to be recorded
 * @throws ServiceError permission_denied, which names the roles that may; reason_required
 */
export function admitOperator(
  operator: Operator,
  access: OperatorAccess,
  request: { readonly reveal?: unknown },
): { isRecorded: boolean } {
  const isReveal = access.canReveal && request.reveal === true;
  requireRole(operator, rolesOf(access), "This call");
  if (isReveal) requireRole(operator, revealRoles, "Revealing addresses");
  const isReasonNeeded = isReveal || (access.reasonRequired && !(operator.isBreakGlass && access.predatesReasons));
  if (isReasonNeeded && operator.reason === null) {
    throw new ServiceError("reason_required", "This call needs a reason; it is kept with the record of the call.");
  }
  return { isRecorded: access.recorded || isReveal };
}

/** Throws permission_denied, which names the roles that may, unless the operator holds one of them. */
export function requireRole(operator: Operator, roles: readonly RoleName[], what: string): void {
  if (roles.some((role) => operator.roles.includes(role))) return;
  throw new ServiceError("permission_denied", `${what} needs one of the roles ${roles.join(", ")}.`, {
    details: { roles },
  });
}

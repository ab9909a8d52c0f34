import type { Membership, Operator, RoleName } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { OperatorAccess } from "@platform/proto/operator/v1/access";
import { memberRolesOf, recentSignInMs, rolesOf } from "./access.ts";

const revealRoles: readonly RoleName[] = ["support", "security", "root"];

/**
 * Returns whether a member may see the personal data of their project, and reveal an address if they give a reason.
 * Readers may not.
 */
export const seesPersonalData = (membership: Membership | null): boolean =>
  membership !== null && membership.role !== "reader";

/**
 * Decides whether the person may make this call.
 * @param membership their membership of the project that the call is about; null if they have none, or if the call is
 * not about a project
 * @returns whether the call has to be recorded
 * @throws ServiceError permission_denied, which names the permitted roles; reason_required; project_client_disabled if
 * a member would change a disabled project
 */
export function admitOperator(
  operator: Operator,
  access: OperatorAccess,
  request: { readonly reveal?: unknown },
  membership: Membership | null = null,
): { isRecorded: boolean } {
  const isReveal = access.canReveal && request.reveal === true;
  if (!holdsOneOf(operator, rolesOf(access))) requireMember(operator, access, membership);
  if (isReveal && !seesPersonalData(membership)) requireRole(operator, revealRoles, "Revealing addresses");
  const isReasonNeeded = isReveal || (access.reasonRequired && !(operator.isBreakGlass && access.predatesReasons));
  if (isReasonNeeded && operator.reason === null) {
    throw new ServiceError("reason_required", "This call needs a reason; it is kept with the record of the call.");
  }
  return { isRecorded: access.recorded || isReveal };
}

export const holdsOneOf = (operator: Pick<Operator, "roles">, roles: readonly RoleName[]): boolean =>
  roles.some((role) => operator.roles.includes(role));

/** Throws permission_denied, which names the permitted roles, unless the operator has one of them. */
export function requireRole(operator: Operator, roles: readonly RoleName[], what: string): void {
  if (holdsOneOf(operator, roles)) return;
  throw new ServiceError("permission_denied", `${what} needs one of the roles ${roles.join(", ")}.`, {
    details: { roles },
  });
}

/**
 * Throws recent_sign_in_required unless the person signed in within the last 15 minutes. The break-glass token has no
 * sign-in and always passes.
 */
export function requireRecentSignIn({ signedInAtMs }: Operator, nowMs: number): void {
  if (signedInAtMs === null || nowMs - signedInAtMs <= recentSignInMs) return;
  throw new ServiceError(
    "recent_sign_in_required",
    "This changes security, so it asks for a sign-in of the last 15 minutes; sign in again and repeat it.",
  );
}

/**
 * Throws permission_denied unless the role of the membership permits the call, and project_client_disabled if the
 * project is disabled and the call would change it.
 */
function requireMember(operator: Operator, access: OperatorAccess, membership: Membership | null): void {
  const memberRoles = memberRolesOf(access);
  if (memberRoles.length === 0 || operator.memberships.length === 0)
    requireRole(operator, rolesOf(access), "This call");
  if (membership === null) throw notOfAMember(access, "Members name their project");
  if (!memberRoles.includes(membership.role)) throw notOfAMember(access, `You are its ${membership.role}`);
  if (membership.isClientDisabled && access.recorded)
    throw new ServiceError(
      "project_client_disabled",
      "The Project Client is disabled: its members may change nothing.",
    );
}

/**
 * Creates the error that names the permitted roles of the project in addition to those of the platform. @param why a
 * clause that says what is missing
 */
function notOfAMember(access: OperatorAccess, why: string): ServiceError {
  const [roles, memberRoles] = [rolesOf(access), memberRolesOf(access)];
  return new ServiceError(
    "permission_denied",
    `This call needs the role ${memberRoles.join(" or ")} in the project, or one of the platform's roles ${roles.join(", ")}. ${why}.`,
    { details: { roles, member_roles: memberRoles } },
  );
}

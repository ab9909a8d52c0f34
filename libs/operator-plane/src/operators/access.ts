import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { type MemberRoleName, memberRoleNames, type RoleName } from "@platform/kit/rpc/client";
import { MemberRole, type OperatorAccess, OperatorRole, operator_access } from "@platform/proto/operator/v1/access";

const names: Readonly<Record<OperatorRole, RoleName | null>> = {
  [OperatorRole.UNSPECIFIED]: null,
  [OperatorRole.VIEWER]: "viewer",
  [OperatorRole.SUPPORT]: "support",
  [OperatorRole.OPERATOR]: "operator",
  [OperatorRole.SECURITY]: "security",
  [OperatorRole.ROOT]: "root",
};

const memberNames: Readonly<Record<MemberRole, MemberRoleName | null>> = {
  [MemberRole.UNSPECIFIED]: null,
  [MemberRole.NEVER]: null,
  [MemberRole.READER]: "reader",
  [MemberRole.DEVELOPER]: "developer",
  [MemberRole.OWNER]: "owner",
};

/** The proto option of a method; null for a method that is not for operators. */
export function accessOf(method: DescMethod): OperatorAccess | null {
  return hasOption(method, operator_access) ? getOption(method, operator_access) : null;
}

/** The roles that may call the method; root always may. */
export function rolesOf(access: Pick<OperatorAccess, "roles">): RoleName[] {
  const roles = access.roles.map((role) => names[role]).filter((name) => name !== null);
  return roles.includes("root") ? roles : [...roles, "root"];
}

/** The roles in a project whose members may call the method, in ascending order; empty if members may not call it. */
export function memberRolesOf(access: Pick<OperatorAccess, "members">): MemberRoleName[] {
  const least = memberNames[access.members];
  return least === null ? [] : memberRoleNames.slice(memberRoleNames.indexOf(least));
}

/** Maximum age of a sign-in for calls that change security, in milliseconds. */
export const recentSignInMs = 15 * 60_000;

/**
 * True for a call that changes security and therefore requires a recent sign-in: it is recorded, and `security` is the
 * only role on the platform that may make it.
 */
export const isSecurityAct = ({ recorded, roles }: Pick<OperatorAccess, "recorded" | "roles">): boolean =>
  recorded && roles.length > 0 && roles.every((role) => role === OperatorRole.SECURITY);

/** The full name of a method, as used in records, logs and metrics. */
export function rpcName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

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

/** Returns the proto option `operator_access` of a method; null if the method is not for operators. */
export function accessOf(method: DescMethod): OperatorAccess | null {
  return hasOption(method, operator_access) ? getOption(method, operator_access) : null;
}

/** Returns the roles that may call the method, of which `root` is always one. */
export function rolesOf(access: Pick<OperatorAccess, "roles">): RoleName[] {
  const roles = access.roles.map((role) => names[role]).filter((name) => name !== null);
  return roles.includes("root") ? roles : [...roles, "root"];
}

/**
 * Returns the roles in a project whose members may call the method, in ascending order; empty if members may not call
 * it.
 */
export function memberRolesOf(access: Pick<OperatorAccess, "members">): MemberRoleName[] {
  const least = memberNames[access.members];
  return least === null ? [] : memberRoleNames.slice(memberRoleNames.indexOf(least));
}

/** Maximum age of a sign-in for calls that change security, in milliseconds. */
export const recentSignInMs = 15 * 60_000;

/**
 * Returns whether a call changes security and therefore requires a recent sign-in. This is true for a recorded call
 * that, of the platform's roles, only `security` may make.
 */
export const isSecurityAct = ({ recorded, roles }: Pick<OperatorAccess, "recorded" | "roles">): boolean =>
  recorded && roles.length > 0 && roles.every((role) => role === OperatorRole.SECURITY);

/** Returns the full name of a method as records, logs and metrics contain it. */
export function rpcName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

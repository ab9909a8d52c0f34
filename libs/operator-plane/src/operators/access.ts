import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import type { RoleName } from "@platform/kit/rpc/client";
import { type OperatorAccess, OperatorRole, operator_access } from "@platform/proto/operator/v1/access";

const names: Readonly<Record<OperatorRole, RoleName | null>> = {
  [OperatorRole.UNSPECIFIED]: null,
  [OperatorRole.VIEWER]: "viewer",
  [OperatorRole.SUPPORT]: "support",
  [OperatorRole.OPERATOR]: "operator",
  [OperatorRole.SECURITY]: "security",
  [OperatorRole.ROOT]: "root",
};

/** The proto option of a method; null for a method that is not for operators. */
export function accessOf(method: DescMethod): OperatorAccess | null {
  return hasOption(method, operator_access) ? getOption(method, operator_access) : null;
}

/** The roles that may call it; root always may. */
export function rolesOf(access: Pick<OperatorAccess, "roles">): RoleName[] {
  const roles = access.roles.map((role) => names[role]).filter((name) => name !== null);
  return roles.includes("root") ? roles : [...roles, "root"];
}

/** The full name of a method, as records, logs and metrics have it. */
export function rpcName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

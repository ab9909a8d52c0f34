import { isRoleName, type RoleName } from "@platform/kit/rpc/client";

/** The provider's names of roles and groups, with the corresponding roles of the platform. */
export type RoleMap = ReadonlyMap<string, readonly RoleName[]>;

/**
 * Reads the platform's roles from a claim of an ID token: one text or a list. A name in the map stands for the roles
 * that it maps to; any other name stands for the role of the same name.
 * @param claim the claim's exact name, which may contain dots or be a URL, or a path with dots to a nested one
 * (Keycloak: `realm_access.roles`)
 */
export function readRoles(payload: Readonly<Record<string, unknown>>, claim: string, map: RoleMap): RoleName[] {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : nested(payload, claim);
  const names = (Array.isArray(value) ? value : [value]).filter((name) => typeof name === "string");
  const roles = names.flatMap((name) => map.get(name) ?? (isRoleName(name) ? [name] : []));
  return [...new Set(roles)];
}

function nested(payload: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isObject ? (value as Record<string, unknown>)[name] : undefined;
  }, payload);
}

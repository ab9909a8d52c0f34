import { readFileSync } from "node:fs";

/** The people of the local provider, one for each role. They sign in with the role's name. */
export const roles = ["viewer", "support", "operator", "security", "root"] as const;

export type Person = {
  /** Subject and sign-in name. */
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly password: string;
};

/** Reads the people from a file of OPERATOR_<ROLE>_PASSWORD=… lines. Throws when one is missing. */
export function readPeople(path: string): Person[] {
  const text = readFileSync(path, "utf8");
  return roles.map((role) => {
    const variable = `OPERATOR_${role.toUpperCase()}_PASSWORD`;
    const [, password] = new RegExp(`^${variable}=(.+)$`, "m").exec(text) ?? [];
    if (password === undefined) throw new Error(`${path} has no ${variable}`);
    return { subject: role, name: `Local ${role}`, roles: [role], password };
  });
}

import { readFileSync } from "node:fs";

/** The operators of the local provider, one for each role. They sign in with the role's name. */
export const roles = ["viewer", "support", "operator", "security", "root"] as const;

export type Person = {
  /** Subject and sign-in name. */
  readonly subject: string;
  readonly name: string;
  /** Roles on the platform; none for the members of projects. */
  readonly roles: readonly string[];
  /** A verified email address. Operators have none. */
  readonly email?: string;
  readonly password: string;
};

/**
 * Reads the people from a file: OPERATOR_<ROLE>_PASSWORD=… for each role, and MEMBER_<NAME>_PASSWORD=… with
 * MEMBER_<NAME>_EMAIL=… for members of projects. Throws if an operator or the address of a member is missing.
 */
export function readPeople(path: string): Person[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const values = new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  const required = (variable: string): string => {
    const value = values.get(variable) ?? "";
    if (value === "") throw new Error(`${path} has no ${variable}`);
    return value;
  };
  const operators = roles.map((role) => {
    const password = required(`OPERATOR_${role.toUpperCase()}_PASSWORD`);
    return { subject: role, name: `Local ${role}`, roles: [role], password };
  });
  const members = [...values.keys()].flatMap((variable) => {
    const [, name] = /^MEMBER_([A-Z]+)_PASSWORD$/.exec(variable) ?? [];
    if (name === undefined) return [];
    const subject = name.toLowerCase();
    const email = required(`MEMBER_${name}_EMAIL`);
    return [{ subject, name: `Local ${subject}`, roles: [], email, password: required(variable) }];
  });
  return [...operators, ...members];
}

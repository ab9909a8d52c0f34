import type { z } from "zod";
import { isCallerOwned } from "./caller-json.ts";
import { changedNumbers } from "./exact-json.ts";
import { type Violation, violationPath, violationsMax } from "./violations.ts";

const notHeldByDouble = "must be a number that a double holds to its last digit";

/**
 * Returns violations for numbers that a double would change, in those members of a body that the platform itself reads.
 * @param exact the body as read by `parseExactly`
 * @param known violations found before. Each pointer is reported once, and there are at most `violationsMax` in total
 */
export function changedNumberViolations(
  exact: unknown,
  schema: z.ZodType,
  known: readonly Violation[] = [],
): Violation[] {
  if (typeof exact !== "object" || exact === null) return [];
  const noted = new Set(known.map(({ path }) => path));
  const violations: Violation[] = [];
  for (const [name, member] of Object.entries(exact)) {
    if (isCallerOwned(schema, name)) continue;
    for (const place of changedNumbers(member)) {
      if (known.length + violations.length >= violationsMax) return violations;
      const path = violationPath("", [name, ...place]);
      if (!noted.has(path)) violations.push({ path, code: "invalid_value", message: notHeldByDouble });
    }
  }
  return violations;
}

/** Replaces the caller's own members of a validated body by the same members with exact numbers. */
export function keepExactMembers(body: unknown, schema: z.ZodType, exact: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (isCallerOwned(schema, name)) members[name] = (exact as Record<string, unknown>)[name];
  }
}

import type { z } from "zod";
import { isCallerOwned } from "./caller-json.ts";
import { changedNumbers } from "./exact-json.ts";
import { type Violation, violationPath, violationsMax } from "./violations.ts";

const notHeldByDouble = "must be a number that a double holds to its last digit";

/**
 * Violations for the numbers that a double would change, in members of a body that the platform reads itself.
 * @param exact the body as read by `parseExactly`
 * @param known violations found before: each pointer is reported once, and no more than `violationsMax` in all
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

/** Replaces the members of a validated body that belong to the caller by those with the caller's exact numbers. */
export function keepExactMembers(body: unknown, schema: z.ZodType, exact: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (isCallerOwned(schema, name)) members[name] = (exact as Record<string, unknown>)[name];
  }
}

import type { z } from "zod";

/** A violation of a rule about a whole value: its path, code and message. */
export type WholeValueViolation = {
  readonly path: readonly (string | number)[];
  readonly violation: "required" | "not_unique";
  readonly message: string;
};

/** Type of a value whose inner types have not been validated yet. */
export type Loosely<T> = T extends readonly unknown[] ? readonly unknown[] : { readonly [Key in keyof T]?: unknown };

const isContainer = (value: unknown, isArray: boolean) =>
  typeof value === "object" && value !== null && Array.isArray(value) === isArray;

/**
 * Adds a rule about the whole value to `schema`. The rule also runs if other parts of the value are invalid, so that
 * the caller receives all violations in one response. `rule` must therefore accept values with missing parts and parts
 * of another type.
 */
export function withWholeValueRule<S extends z.ZodType>(
  schema: S,
  rule: (value: Loosely<z.output<S>>) => readonly WholeValueViolation[],
): S {
  const isArray = schema.def.type === "array";
  return schema.superRefine(
    (value, context) => {
      for (const { path, violation, message } of rule(value as Loosely<z.output<S>>)) {
        context.addIssue({ code: "custom", path: [...path], params: { violation }, message, input: value });
      }
    },
    { when: (payload) => isContainer(payload.value, isArray) },
  );
}

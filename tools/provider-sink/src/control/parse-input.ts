import type * as z from "zod";

/** Input that cannot be taken; its message tells the caller what is wrong with it. Answered 400. */
export class BadInput extends Error {}

/** The parsed value, or a BadInput that names every problem. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new BadInput(
    parsed.error.issues
      .map(({ path, message }) => (path.join(".") ? `${path.join(".")}: ${message}` : message))
      .join("; "),
  );
}

import type * as z from "zod";

/** Invalid input, which gets 400; the message describes the problem. */
export class BadInput extends Error {}

/** Returns the parsed value. Throws a BadInput that lists every problem. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new BadInput(
    parsed.error.issues
      .map(({ path, message }) => (path.join(".") ? `${path.join(".")}: ${message}` : message))
      .join("; "),
  );
}

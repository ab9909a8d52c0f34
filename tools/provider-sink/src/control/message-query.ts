import * as z from "zod";
import { channels } from "../store/message.ts";
import type { MessageFilter } from "../store/message-store.ts";
import { parseInput } from "./parse-input.ts";

const whole = (name: string, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number`)
    .transform(Number)
    .pipe(z.number().max(max))
    .optional();

const querySchema = z.strictObject({
  channel: z.enum(channels).optional(),
  to: z.string().optional(),
  after: z
    .string()
    .regex(/^\d{1,15}$/, "after must be the id of a message")
    .optional(),
  newest: whole("newest", 1_000_000),
  count: whole("count", 1_000_000),
  wait_ms: whole("wait_ms", 120_000),
});

/**
 * Parses the query of `GET /messages` into a filter. Unknown names are rejected, because a misspelt filter would match everything.
 */
export function parseMessageQuery(query: unknown): MessageFilter {
  const { wait_ms, ...rest } = parseInput(querySchema, query);
  const filter = { ...rest, waitMs: wait_ms };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

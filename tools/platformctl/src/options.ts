import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageError } from "./usage-error.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a time given on the command line: RFC 3339, or how long ago (`30m`, `2h`, `7d`). Throws a UsageError when it is neither.
 * @param option its name, for the message: `--since`
 */
export function readTime(option: string, text: string, nowMs: number = Date.now()): Date {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago !== null) return new Date(nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ""] ?? 0));
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError(`${option} takes a time such as 2027-01-31T09:00:00Z, or how long ago: 2h, 7d`);
  }
  return time;
}

/** The same as a protobuf timestamp; undefined when the option was not given. */
export function readTimestamp(option: string, text: string | undefined): Timestamp | undefined {
  return text === undefined ? undefined : timestampFromDate(readTime(option, text));
}

/** Reads a whole number. Throws a UsageError when it is none, or not between `min` and `max`. */
export function readInteger(option: string, text: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${option} takes a whole number ${range}, not "${text}"`);
  }
  return value;
}

/** A timestamp as RFC 3339 in UTC with milliseconds, or null when there is none. */
export function isoOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}

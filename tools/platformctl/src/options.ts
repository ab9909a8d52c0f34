import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as values from "@platform/contracts/operator/field-values";
import { UsageError } from "./usage-error.ts";

/**
 * Reads a time from the command line: RFC 3339, or an age (`30m`, `2h`, `7d`). Throws a UsageError if it is neither.
 * @param option name of the option for the error message, such as `--since`
 */
export function readTime(option: string, text: string, nowMs?: number): Date {
  return readOrRefuse(option, values.readTime(text, "since", nowMs));
}

/** Reads a time in the same way and returns it as a protobuf timestamp, or undefined if the option was not given. */
export function readTimestamp(option: string, text: string | undefined): Timestamp | undefined {
  return text === undefined ? undefined : timestampFromDate(readTime(option, text));
}

/** Reads a whole number. Throws a UsageError if it is not valid, or not between `min` and `max`. */
export function readInteger(option: string, text: string, min: number, max?: number): number {
  return readOrRefuse(option, values.readInteger(text, min, max));
}

function readOrRefuse<T>(option: string, read: { readonly value: T } | { readonly problem: string }): T {
  if ("problem" in read) throw new UsageError(`${option} ${read.problem}`);
  return read.value;
}

/** Formats a timestamp as RFC 3339 in UTC with milliseconds. Returns null if there is none. */
export function isoOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}

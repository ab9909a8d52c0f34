import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

/**
 * Returns an object with a timestamp field for the date. Without a date, the object is empty, because an absent field
 * means "never".
 */
export function optionalTimestamp<Name extends string>(name: Name, date: Date | null): { [K in Name]?: Timestamp } {
  return (date === null ? {} : { [name]: timestampFromDate(date) }) as { [K in Name]?: Timestamp };
}

/** Converts a timestamp to a date; null if there is none. */
export function dateOrNull(timestamp: Timestamp | undefined): Date | null {
  return timestamp === undefined ? null : timestampDate(timestamp);
}

/** Formats a timestamp by RFC 3339, in UTC with milliseconds; null if there is none. */
export function timeOrNull(timestamp: Timestamp | undefined): string | null {
  return dateOrNull(timestamp)?.toISOString() ?? null;
}

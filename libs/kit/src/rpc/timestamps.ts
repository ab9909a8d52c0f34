import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** A timestamp field if there is a date, otherwise no field, so that absence means "never". */
export function optionalTimestamp<Name extends string>(name: Name, date: Date | null): { [K in Name]?: Timestamp } {
  return (date === null ? {} : { [name]: timestampFromDate(date) }) as { [K in Name]?: Timestamp };
}

/** The date of a timestamp, or null when there is none. */
export function dateOrNull(timestamp: Timestamp | undefined): Date | null {
  return timestamp === undefined ? null : timestampDate(timestamp);
}

/** A timestamp in RFC 3339, in UTC with milliseconds, or null when there is none. */
export function timeOrNull(timestamp: Timestamp | undefined): string | null {
  return dateOrNull(timestamp)?.toISOString() ?? null;
}

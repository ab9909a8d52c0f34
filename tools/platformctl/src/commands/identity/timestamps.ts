import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageError } from "../../usage-error.ts";

/** Reads an RFC 3339 time given on the command line. Throws when it is none. */
export function parseTime(option: string, text: string): Timestamp {
  const date = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text) || Number.isNaN(date.getTime())) {
    throw new UsageError(`${option} must be an RFC 3339 time such as 2027-01-31T09:00:00Z`);
  }
  return timestampFromDate(date);
}

/** Reads a whole number from the command line. Throws if it is not valid or smaller than `min`. */
export function parseInteger(option: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) {
    throw new UsageError(`${option} must be a whole number of at least ${min}`);
  }
  return value;
}

import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Column, Difference } from "./resource.ts";

/** A value of a row as `--json` prints it. */
export type RowValue = string | number | boolean | null | readonly string[];

/** A row as `--json` prints it: its keys are the names of proto, in the order of the columns. */
export function rowOf(schema: DescMessage, columns: readonly (Column | Difference)[], message: Message) {
  const printed = columns.filter((column) => "difference" in column || column.isOnPagesOnly !== true);
  return Object.fromEntries(printed.map((column) => [keyOf(schema, column), columnValue(column, message)]));
}

/** The key of a column in `--json` and in downloads. */
export function keyOf(schema: DescMessage, column: Column | Difference): string {
  return "difference" in column ? column.key : (schema.field[column.field]?.name ?? column.field);
}

/** Its value: times as RFC 3339 in UTC with milliseconds, 64-bit numbers as numbers, null for what is absent. */
export function columnValue(column: Column | Difference, message: Message): RowValue {
  const fields = message as unknown as Readonly<Record<string, unknown>>;
  if ("difference" in column) {
    const [whole, part] = column.difference;
    return Number(fields[whole]) - Number(fields[part]);
  }
  const value = fields[column.field];
  return column.isNullIfEmpty === true && value === "" ? null : plainOf(value);
}

/** A value of a message as JSON has it. */
export function plainOf(value: unknown): RowValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  return isTimestamp(value) ? timestampDate(value).toISOString() : (value as RowValue);
}

const isTimestamp = (value: unknown): value is Timestamp =>
  (value as { $typeName?: unknown }).$typeName === "google.protobuf.Timestamp";

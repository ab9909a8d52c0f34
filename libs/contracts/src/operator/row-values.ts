import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Column, Difference } from "./column.ts";
import type { Operation } from "./resource.ts";

/** A value of a row as `--json` prints it. */
export type RowValue = string | number | boolean | null | readonly string[] | PrintedRow | readonly PrintedRow[];
type PrintedRow = { readonly [key: string]: RowValue };
type Fields = Readonly<Record<string, unknown>>;

/** Returns the row in a response, or undefined if it has none. */
export const rowIn = ({ reply }: Pick<Operation, "reply">, answer: Fields): unknown =>
  reply === "" ? answer : answer[reply ?? ""];

/** Returns a row as `--json` prints it. Its keys are the names of proto, in the order of the columns. */
export function rowOf(schema: DescMessage, columns: readonly (Column | Difference)[], message: object): PrintedRow {
  const printed = columns.filter((column) => !("field" in column) || isPrinted(column, message));
  return Object.fromEntries(printed.map((column) => [keyOf(schema, column), columnValue(schema, column, message)]));
}

function isPrinted(column: Column, message: object): boolean {
  const { field, isOnPagesOnly, isOmittedFor } = column;
  const isUsual = isOmittedFor !== undefined && (message as Fields)[field] === isOmittedFor;
  return isOnPagesOnly !== true && !isUsual && isKept(column, message);
}

/** Returns the key of a column in `--json` and in downloads. */
export function keyOf(schema: DescMessage, column: Column | Difference): string {
  return column.key ?? ("field" in column ? (schema.field[column.field]?.name ?? column.field) : "");
}

/**
 * Returns the value as it is printed: times in RFC 3339 form in UTC with milliseconds, 64-bit numbers as numbers, and
 * null for missing values.
 */
export function columnValue(schema: DescMessage, column: Column | Difference, message: object): RowValue {
  if ("difference" in column) {
    const [whole, part] = column.difference;
    const fields = message as Fields;
    return Number(fields[whole]) - Number(fields[part]);
  }
  const { field, kind, columns, words, isWordPrinted, isNullIfEmpty, isZeroIfAbsent } = column;
  const value = valueIn(column, message);
  if (words !== undefined && isWordPrinted === true) return wordOf(words, value);
  if (columns !== undefined) {
    const rows = messagesIn(value).map((each) => rowOf(messageOf(schema, field), columns, each));
    return schema.field[field]?.fieldKind === "list" ? rows : (rows[0] ?? null);
  }
  if (kind === "json") return value === "" ? null : (JSON.parse(value as string) as RowValue);
  if (isZeroIfAbsent === true && value === undefined) return 0;
  return isNullIfEmpty === true && value === "" ? null : plainOf(value);
}

/** Returns the value of a column: its field, or a field of the last message or of every message in it. */
export function valueIn({ field, last, each }: Column, message: object): unknown {
  const held = (message as Fields)[field];
  if (each !== undefined) return messagesIn(held).map((one) => (one as Fields)[each]);
  return last === undefined ? held : (messagesIn(held).at(-1) as Fields | undefined)?.[last];
}

/** Returns a value as a text or a number, as downloads contain it. */
export function cellValue(schema: DescMessage, column: Column, message: object): string | number | null {
  const { field, columns, words } = column;
  const held = valueIn(column, message);
  if (words !== undefined) return wordOf(words, held);
  if (column.kind === "json") return held as string;
  if (columns === undefined) {
    const value = columnValue(schema, column, message);
    return Array.isArray(value)
      ? value.join(" ")
      : typeof value === "boolean"
        ? String(value)
        : (value as string | number | null);
  }
  const inner = messageOf(schema, field);
  const textOf = (each: Message): string =>
    columns
      .filter((one) => isKept(one, each))
      .slice(0, 2)
      .map((one) => cellValue(inner, one, each))
      .join(": ");
  return messagesIn(held).map(textOf).join(", ");
}

/** Returns whether a column is shown for a message. */
export const isKept = ({ field, isLeftOutIfAbsent }: Column, message: object): boolean =>
  isLeftOutIfAbsent !== true || isSet((message as Fields)[field]);

/** Returns the word that is shown for a value. */
export const wordOf = ([set, unset]: readonly [string, string], value: unknown): string => (isSet(value) ? set : unset);

/** Returns the messages in a field, whether or not it is a list. */
export const messagesIn = (value: unknown): readonly Message[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]) as readonly Message[];

/** Returns the type of the message that a field contains. */
export function messageOf(schema: DescMessage, field: string): DescMessage {
  const message = schema.field[field]?.message;
  if (message === undefined) throw new Error(`${schema.typeName} has no message ${field}`);
  return message;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== "" && value !== false;

/** Converts a value of a message to its form in JSON. */
export function plainOf(value: unknown): RowValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plainOf) as RowValue;
  return isTimestamp(value) ? timestampDate(value).toISOString() : (value as RowValue);
}

/** Returns whether a value is a time that is present. */
export const isTimestamp = (value: unknown): value is Timestamp =>
  (value as { $typeName?: unknown } | null | undefined)?.$typeName === "google.protobuf.Timestamp";

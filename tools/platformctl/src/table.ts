import measure from "fast-string-truncated-width";

const gap = "  ";
/** Maximum width of a table cell, in columns of the terminal. */
const cellMax = 60;

/** Formats a value for a person at a terminal: rows and pages as a table, other values as `name value` lines. */
export function forTerminal(value: unknown): string {
  if (Array.isArray(value)) return table(value);
  if (isPage(value)) {
    const more = value.next_cursor === null ? "" : `\n\nmore: --cursor ${value.next_cursor}`;
    return `${table(value.items)}${more}`;
  }
  if (!isRecord(value)) return cell(value);
  const entries = Object.entries(value);
  const width = Math.max(...entries.map(([name]) => widthOf(name)));
  const lines = entries.map(([name, field]) => {
    const isRows = Array.isArray(field) && field.some(isRecord);
    return isRows
      ? `${name}\n${indent(table(field))}`
      : `${padded(name, width)}${gap}${hanging(text(field), width + gap.length)}`;
  });
  return lines.join("\n");
}

/** Formats rows as a table with the names of the fields in the first line. */
function table(rows: readonly unknown[]): string {
  if (rows.length === 0) return "(none)";
  if (!rows.every(isRecord)) return rows.map(cell).join("\n");
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  return lines
    .map((line) => line.map((part, column) => padded(part, widths[column] ?? 0)).join(gap))
    .map((line) => line.trimEnd())
    .join("\n");
}

function cell(value: unknown): string {
  const whole = text(value).replaceAll(/\s+/g, " ");
  const { index, ellipsed } = measure(whole, { limit: cellMax, ellipsis: "…", ellipsisWidth: 1 });
  return ellipsed ? `${whole.slice(0, index)}…` : whole;
}

/** Returns the width of a text in columns of a terminal. An East Asian character or an emoji has two columns, a combining mark none. */
const widthOf = (line: string): number => measure(line).width;

const padded = (line: string, width: number): string => line + " ".repeat(Math.max(0, width - widthOf(line)));

function text(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value) && !value.some(isRecord)) return value.length === 0 ? "-" : value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Indents all lines of a text after the first to the start of the first, so that none of them looks like a separate field.
 */
const hanging = (lines: string, by: number): string => lines.replaceAll("\n", `\n${" ".repeat(by)}`);

const indent = (block: string): string => block.replaceAll(/^/gm, gap);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isPage(value: unknown): value is { items: unknown[]; next_cursor: string | null } {
  return isRecord(value) && Array.isArray(value.items) && "next_cursor" in value;
}

import { once } from "node:events";
import type { Filters, Listing } from "./screen.ts";
import type { Visit } from "./visit.ts";

/** Rows of a page, and of one download; a last line says when there are more. */
const bounds = { pageSize: 200, rowsMax: 100_000 } as const;
const exportBounds = { pageSize: 1_000, rowsMax: Number.POSITIVE_INFINITY } as const;

/** Streams all pages of a list as CSV (RFC 4180) or NDJSON; an export as whole records without a bound. Always answers null. */
export async function download<R>(
  visit: Visit,
  listing: Listing<R>,
  filters: Filters,
  format: "csv" | "ndjson",
): Promise<null> {
  const { response } = visit;
  const columns = listing.exported ?? listing.columns;
  const { pageSize, rowsMax } = listing.exported === undefined ? bounds : exportBounds;
  // The first page is read before anything is sent, so that a refusal is still a page.
  let page = await listing.read(visit, filters, { limit: pageSize, cursor: "" });
  const name = listing.path.slice(1).replaceAll("/", "-");
  response.attachment(`${name}.${format}`);
  response.type(format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
  const send = async (text: string): Promise<void> => {
    if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")]);
  };
  if (format === "csv") await send(`${columns.map(({ key }) => key).join(",")}\r\n`);
  for (let sent = 0; !response.destroyed; ) {
    const lines = page.rows.map((row) =>
      format === "csv"
        ? `${columns.map((column) => csvCell(column.value(row))).join(",")}\r\n`
        : `${JSON.stringify(Object.fromEntries(columns.map((column) => [column.key, column.value(row)])))}\n`,
    );
    await send(lines.join(""));
    sent += lines.length;
    if (page.nextCursor === "") break;
    if (sent >= rowsMax) {
      await send(format === "csv" ? "more rows exist\r\n" : `${JSON.stringify({ truncated: true })}\n`);
      break;
    }
    page = await listing.read(visit, filters, { limit: pageSize, cursor: page.nextCursor });
  }
  response.end();
  return null;
}

/** A cell as a spreadsheet takes it: text that would be a formula there gets an apostrophe (OWASP, CSV injection). */
export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Options, stringify } from "csv-stringify";
import type { Column, Filters, Listing } from "./screen.ts";
import type { Visit } from "./visit.ts";

/**
 * Number of rows per page of a list that a download reads, and maximum number of rows of a download. If there are more,
 * its last line says so.
 */
const bounds = { pageSize: 200, rowsMax: 100_000 } as const;
const exportBounds = { pageSize: 1_000, rowsMax: Number.POSITIVE_INFINITY } as const;

type Cell = string | number | null;

/**
 * Options for CSV that spreadsheets open correctly by a double click. The file starts with the UTF-8 byte-order mark,
 * because spreadsheets otherwise use the system's code page. Text that would be read as a formula gets an apostrophe
 * (OWASP, CSV injection). Spreadsheets ignore white space before a formula, so text that starts with white space also
 * gets an apostrophe, which the library does not do.
 */
export const csvOptions: Options = {
  bom: true,
  record_delimiter: "\r\n",
  escape_formulas: true,
  // A cell that contains only one of the two line-break characters must be quoted, too.
  quoted_match: /[\r\n]/,
  cast: { string: (text) => (/^\s/.test(text) ? `'${text}` : text) },
};

/** The column with the client of each row. */
export const clientColumn = <R>(clientIdOf: (row: R) => string): Column<R> => ({
  key: "project_client_id",
  title: "Project",
  value: clientIdOf,
});

/** A list of all clients has a column with the client, which its download keeps even if one client was chosen. */
const downloadColumns = <R>({ columns, clientIdOf }: Listing<R>): readonly Column<R>[] =>
  clientIdOf === undefined ? columns : [...columns, clientColumn(clientIdOf)];

/**
 * Streams all pages of a list as CSV (RFC 4180) or NDJSON. An export contains complete records and has no maximum.
 * Always returns null.
 */
export async function download<R>(
  visit: Visit,
  listing: Listing<R>,
  filters: Filters,
  format: "csv" | "ndjson",
): Promise<null> {
  const { response } = visit;
  const columns = listing.exported ?? downloadColumns(listing);
  const { pageSize, rowsMax } = listing.exported === undefined ? bounds : exportBounds;
  // The first page is read before anything is sent, so that an error can still be shown as a page.
  const first = await listing.read(visit, filters, { limit: pageSize, cursor: "" });
  const keys = columns.map(({ key }) => key);
  async function* rows(): AsyncGenerator<readonly Cell[] | "more"> {
    let sent = 0;
    for (let page = first; ; page = await listing.read(visit, filters, { limit: pageSize, cursor: page.nextCursor })) {
      for (const row of page.rows) yield columns.map((column) => column.value(row));
      sent += page.rows.length;
      if (page.nextCursor === "") return;
      if (sent >= rowsMax) return yield "more";
    }
  }
  async function* records(): AsyncGenerator<readonly Cell[]> {
    yield keys;
    for await (const row of rows()) yield row === "more" ? ["more rows exist"] : row;
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const row of rows()) {
      const record =
        row === "more" ? { truncated: true } : Object.fromEntries(keys.map((key, index) => [key, row[index]]));
      yield `${JSON.stringify(record)}\n`;
    }
  }
  response.attachment(`${listing.path.slice(1).replaceAll("/", "-")}.${format}`);
  response.type(format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
  const sending =
    format === "csv"
      ? pipeline(Readable.from(records()), stringify(csvOptions), response)
      : pipeline(Readable.from(lines()), response);
  // An error is ignored if the browser has disconnected, because that is not a failure of the page.
  await sending.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
  return null;
}

import type { Model } from "mongoose";
import { ServiceError } from "../rpc/service-error.ts";
import { readsIndexInOrder } from "./index-order.ts";
import { readBackwards } from "./read-backwards.ts";

/** Page request of a list RPC: number of items and cursor. */
export type PageRequest = {
  /** Size of the page: at most 200; 0 means 50. */
  readonly limit: number;
  /** `next_cursor` of the previous page; empty for the first page. */
  readonly cursor: string;
};

/** One page of a list; `nextCursor` is empty at the end of the list. */
export type Page<T> = { readonly items: T[]; readonly nextCursor: string };

/**
 * Sort order of a list: by a time that never changes and then by id, or by id alone. The list's index ends with these
 * fields.
 */
export type PageOrder = { readonly by: string; readonly direction: 1 | -1 };

/** Time range of a list. Null leaves an end open. `until` itself is excluded. */
export type TimeSpan = { readonly since: Date | null; readonly until: Date | null };

const limitDefault = 50;
const limitMax = 200;
export const newestFirst: PageOrder = { by: "created_at", direction: -1 };
export const oldestFirst: PageOrder = { by: "created_at", direction: 1 };
/** Order for documents without a time, whose ids sort by the time of creation. */
export const newestIdFirst: PageOrder = { by: "_id", direction: -1 };

type Filter = Readonly<Record<string, unknown>>;

/**
 * Reads one page with a keyset cursor, which contains the time and the id of the last item. Every page therefore costs
 * the same, and an added item does not shift the others.
 * @param filter equality conditions of the index, and further conditions on items
 * @param options `isLong` is for lists of any length, newest first. On a server that sorts everything that matches,
 * their pages are first looked for in the last minute before their beginning, then in longer periods
 * @throws ServiceError contract_violation for an invalid limit or cursor
 */
export async function readPage<R extends { _id: unknown }>(
  model: Model<R>,
  filter: Filter,
  request: PageRequest,
  options: {
    readonly order?: PageOrder;
    readonly span?: TimeSpan;
    readonly projection?: Record<string, 0 | 1>;
    readonly isLong?: boolean;
  } = {},
): Promise<Page<R>> {
  const { order = newestFirst, span = wholeTime } = options;
  const limit = readLimit(request.limit);
  const read = async (since: Date | null): Promise<R[]> =>
    (await model
      .find(pageFilter(filter, request.cursor, order, { ...span, since }), options.projection)
      .sort({ [order.by]: order.direction, _id: order.direction })
      .limit(limit + 1)
      .lean()
      .exec()) as unknown as R[];
  const isNewestFirst = order.by !== "_id" && order.direction === -1;
  const isSearched = options.isLong === true && isNewestFirst && !(await readsIndexInOrder(model.db));
  const found = isSearched
    ? await readBackwards(read, { end: endOf(request.cursor, span), since: span.since, wanted: limit + 1 })
    : await read(span.since);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? "" : cursorOf(last, order.by) };
}

const wholeTime: TimeSpan = { since: null, until: null };

/** Returns the time at which a page begins, newest first: that of the cursor, the end of the time range, or now. */
function endOf(cursor: string, { until }: TimeSpan): Date {
  if (cursor !== "") return readCursor(cursor).at;
  // The times of items are of the wall clock.
  const now = new Date();
  return until === null || until > now ? now : until;
}

/** Returns the filter of a page: the caller's filter, the time range, and the position after the cursor. */
export function pageFilter(filter: Filter, cursor: string, order: PageOrder, span?: TimeSpan): Filter {
  const bounds: Record<string, Date> = {};
  if (span !== undefined && span.since !== null) bounds.$gte = span.since;
  if (span !== undefined && span.until !== null) bounds.$lt = span.until;
  if (order.by === "_id") {
    const beyond = order.direction === 1 ? "$gt" : "$lt";
    return cursor === "" ? filter : { ...filter, _id: { [beyond]: readCursor(cursor).id } };
  }
  if (cursor === "") return Object.keys(bounds).length === 0 ? filter : { ...filter, [order.by]: bounds };
  const { at, id } = readCursor(cursor);
  const beyond = order.direction === 1 ? "$gt" : "$lt";
  // The bound on the time alone lets the index start at the cursor. The alternative excludes items with the same time
  // that an earlier page contained.
  const edge = order.direction === 1 ? "$gte" : "$lte";
  const isTighter = bounds[edge] === undefined || (order.direction === 1 ? at > bounds[edge] : at < bounds[edge]);
  return {
    ...filter,
    [order.by]: { ...bounds, ...(isTighter ? { [edge]: at } : {}) },
    $or: [{ [order.by]: { [beyond]: at } }, { [order.by]: at, _id: { [beyond]: id } }],
  };
}

function readLimit(limit: number): number {
  if (limit > limitMax) throw refusal("/limit", "out_of_range", `at most ${limitMax}`);
  return limit === 0 ? limitDefault : limit;
}

function cursorOf(record: { _id: unknown }, by: string): string {
  const at = by === "_id" ? 0 : ((record as Record<string, unknown>)[by] as Date).getTime();
  return Buffer.from(`${at} ${String(record._id)}`).toString("base64url");
}

function readCursor(cursor: string): { at: Date; id: string } {
  const [, ms, id] = /^(-?\d{1,15}) (.{1,200})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (ms === undefined || id === undefined) throw refusal("/cursor", "invalid_format", "not a cursor of this list");
  return { at: new Date(Number(ms)), id };
}

function refusal(path: string, code: "out_of_range" | "invalid_format", message: string): ServiceError {
  return new ServiceError("contract_violation", "The request violates the contract; details.violations lists where.", {
    details: { violations: [{ path, code, message }] },
  });
}

import { type Connection, mongo } from "mongoose";
import { isUuid } from "../secrets/id.ts";

/** A collection whose records operators find by what they have at hand. */
export type SearchedCollection = {
  /** What one record of it is called. */
  readonly kind: string;
  readonly collection: string;
  /** Fields that tell a record from others of its kind; never personal data. */
  readonly label: readonly string[];
  /** The field with its Project Client, "project_client_id" by default; null: it has none. */
  readonly client?: string | null;
  /** The field with the id of what it belongs to. */
  readonly parent?: string;
  /** The field with its position in a log. */
  readonly position?: string;
  /** The field with the time it was made, "created_at" by default. */
  readonly madeAt?: string;
  /** Has an index on project_client_id and idempotency_key. */
  readonly isKeyed?: boolean;
  /** Has correlation_id, and an index on project_client_id and created_at. */
  readonly isCorrelated?: boolean;
};

export type RecordMatch = "id" | "idempotency_key" | "correlation_id";

export type FoundRecord = {
  readonly kind: string;
  readonly id: string;
  readonly projectClientId: string | null;
  readonly label: string;
  readonly matched: RecordMatch;
  readonly createdAt: Date | null;
  readonly parentId: string | null;
  readonly position: number | null;
};

export type RecordSearch = ReturnType<typeof createRecordSearch>;

type Stored = Readonly<Record<string, unknown>> & { readonly _id: unknown };

const dayMs = 86_400_000;
/** Clocks differ: a record may be older than the id of the request that made it. */
const skewMs = 60_000;
const matchesMax = 50;
const searchMsMax = 2_000;
const maxTimeExpired = 50;

/**
 * Finds records of a service. Ids and idempotency keys have an index. Correlation ids have none, because it would cost each write of the busiest
 * collections: they are looked for among the records of a day, by client and time.
 */
export function createRecordSearch(connection: Connection, searched: readonly SearchedCollection[]) {
  const read = async (
    { collection, ...from }: SearchedCollection,
    filter: object,
    matched: RecordMatch,
  ): Promise<FoundRecord[]> => {
    const { kind, label, client = "project_client_id", parent, position, madeAt = "created_at" } = from;
    const fields = [...label, client, parent, position, madeAt].filter((field) => typeof field === "string");
    const found = (await connection
      .collection(collection)
      .find(filter, { projection: Object.fromEntries(fields.map((field) => [field, 1])), maxTimeMS: searchMsMax })
      .limit(matchesMax)
      .toArray()) as unknown as Stored[];
    return found.map((record) => ({
      kind,
      id: String(record._id),
      projectClientId: client === null ? null : textOrNull(record[client]),
      label: label
        .map((field) => textOrNull(record[field]))
        .filter((text) => text !== null)
        .join(" "),
      matched,
      createdAt: record[madeAt] instanceof Date ? record[madeAt] : null,
      parentId: parent === undefined ? null : textOrNull(record[parent]),
      position: position !== undefined && typeof record[position] === "number" ? record[position] : null,
    }));
  };

  return {
    /** @returns the records, and whether a search was broken off because it took too long */
    find: async (
      text: string,
      clientIds: readonly string[],
      since: Date | null,
      now: Date,
    ): Promise<{ records: FoundRecord[]; isPartial: boolean }> => {
      const own = { project_client_id: { $in: clientIds } };
      const id = isUuid(text) ? text.toLowerCase() : text;
      const created_at = spanOf(id, since, now);
      const searches = searched.flatMap((each) => [
        read(each, { _id: id }, "id"),
        ...(each.isKeyed === true && clientIds.length > 0
          ? [read(each, { ...own, idempotency_key: text }, "idempotency_key")]
          : []),
        ...(each.isCorrelated === true && clientIds.length > 0 && isUuid(text)
          ? [read(each, { ...own, created_at, correlation_id: id }, "correlation_id")]
          : []),
      ]);
      let isPartial = false;
      const found = await Promise.all(
        searches.map((search) =>
          search.catch((error: unknown) => {
            if (!(error instanceof mongo.MongoServerError) || error.code !== maxTimeExpired) throw error;
            isPartial = true;
            return [];
          }),
        ),
      );
      return { records: found.flat(), isPartial };
    },
  };
}

/** When the records of a request were made: within a day of its UUIDv7, else from `since` on, or in the last day. */
function spanOf(id: string, since: Date | null, now: Date): { readonly $gte: Date; readonly $lt: Date } {
  const madeMs = timeOfId(id);
  if (since !== null) return { $gte: since, $lt: new Date(now.getTime() + skewMs) };
  if (madeMs === null) return { $gte: new Date(now.getTime() - dayMs), $lt: new Date(now.getTime() + skewMs) };
  return { $gte: new Date(madeMs - skewMs), $lt: new Date(madeMs + dayMs) };
}

/** The time in a UUIDv7 (RFC 9562, 5.7); null in other ids. */
function timeOfId(id: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

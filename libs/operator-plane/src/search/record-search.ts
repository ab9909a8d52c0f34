import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { isReadLimitError } from "@platform/kit/store/schema";
import type { Connection } from "mongoose";

/** A collection that operators can search. */
export type SearchedCollection = {
  /** Singular name of a record of the collection. */
  readonly kind: string;
  readonly collection: string;
  /** Fields that distinguish a record from others of its kind; never personal data. */
  readonly label: readonly string[];
  /** The field with the record's Project Client, "project_client_id" by default; null if records have none. */
  readonly client?: string | null;
  /** The field with the id of the record's parent. */
  readonly parent?: string;
  /** The field with the record's position in a log. */
  readonly position?: string;
  /** The field with the time at which the record was created, "created_at" by default. */
  readonly madeAt?: string;
  /** True if there is an index on project_client_id and idempotency_key. */
  readonly isKeyed?: boolean;
  /**
   * How to search by correlation id. "by_time" requires the field correlation_id and an index on the time of creation,
   * by client or not. "by_id" requires ids that are UUIDv7 and contain that time.
   */
  readonly correlated?: "by_time" | "by_id";
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
/** Clocks of processes differ, so a record may be older than the id of the request that created it. In milliseconds. */
const skewMs = 60_000;
/** A request usually creates its records within this time after its correlation id, in milliseconds. */
const nearMs = 120_000;
const matchesMax = 50;
/** Time limit of a whole search, in milliseconds. */
const searchMsMax = 2_000;

/**
 * Finds records of a service. Ids and idempotency keys are indexed. Correlation ids are not, because another index
 * would make each write of the busiest collections more expensive. Records with a correlation id are searched for among
 * the records of a day, by client and time, or by the time in the ids of the records.
 */
export function createRecordSearch(connection: Connection, searched: readonly SearchedCollection[]) {
  const read = async (
    { collection, ...from }: SearchedCollection,
    filter: object,
    { matched, leftMs, hint }: { matched: RecordMatch; leftMs: number; hint?: Readonly<Record<string, 1>> },
  ): Promise<FoundRecord[]> => {
    const { kind, label, client = "project_client_id", parent, position, madeAt = "created_at" } = from;
    const fields = [...label, client, parent, position, madeAt].filter((field) => typeof field === "string");
    const found = (await connection
      .collection(collection)
      .find(filter, {
        projection: Object.fromEntries(fields.map((field) => [field, 1])),
        maxTimeMS: Math.ceil(leftMs),
        ...defined({ hint }),
      })
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

  /**
   * Searches by correlation id. A search by ids names its index, because the database might otherwise read all of
   * another index of the client.
   */
  const correlated = (each: SearchedCollection, filter: object, leftMs: number): Promise<FoundRecord[]> =>
    read(each, filter, {
      matched: "correlation_id",
      leftMs,
      ...(each.correlated === "by_id" ? { hint: { _id: 1 } } : {}),
    });

  return {
    /** @returns the records, and whether a search was aborted because it took too long */
    find: async (
      text: string,
      clientIds: readonly string[],
      since: Date | null,
      now: Date,
    ): Promise<{ records: FoundRecord[]; isPartial: boolean }> => {
      const own = { project_client_id: { $in: clientIds } };
      const id = isUuid(text) ? text.toLowerCase() : text;
      const spans = spansOf(id, since, now);
      const untilMs = performance.now() + searchMsMax;
      let isPartial = false;
      const inTime = async (search: (leftMs: number) => Promise<FoundRecord[]>): Promise<FoundRecord[]> => {
        const leftMs = untilMs - performance.now();
        try {
          if (leftMs >= 1) return await search(leftMs);
        } catch (error) {
          if (!isReadLimitError(error)) throw error;
        }
        isPartial = true;
        return [];
      };
      const exact = searched.flatMap((each) => [
        inTime((leftMs) => read(each, { _id: id }, { matched: "id", leftMs })),
        ...(each.isKeyed === true && clientIds.length > 0
          ? [inTime((leftMs) => read(each, { ...own, idempotency_key: text }, { matched: "idempotency_key", leftMs }))]
          : []),
      ]);
      const found = (await Promise.all(exact)).flat();
      if (clientIds.length === 0 || !isUuid(text)) return { records: found, isPartial };
      // The time spans are searched one after the other, the likely ones first. All of them together have two seconds,
      // and a small database can serve other commands in between.
      for (const span of spans) {
        for (const each of searched.filter(({ correlated }) => correlated !== undefined)) {
          const filter = { ...own, ...within(each, span), correlation_id: id };
          found.push(...(await inTime((leftMs) => correlated(each, filter, leftMs))));
        }
      }
      return { records: found, isPartial };
    },
  };
}

type Span = { readonly fromMs: number; readonly toMs: number };

/**
 * Returns the time spans in which the records of a request may have been created: the day of its id if that is a
 * UUIDv7, otherwise the time from `since` on, or the last day. The minutes around the time of a UUIDv7 come first,
 * because most records are created then. They are found even if the search of the rest of the day takes too long.
 */
function spansOf(id: string, since: Date | null, now: Date): Span[] {
  const madeMs = timeOfId(id);
  const toMs = now.getTime() + skewMs;
  if (since !== null) return [{ fromMs: since.getTime(), toMs }];
  if (madeMs === null) return [{ fromMs: now.getTime() - dayMs, toMs }];
  const soonMs = madeMs + nearMs;
  return [
    { fromMs: madeMs - skewMs, toMs: soonMs },
    { fromMs: soonMs, toMs: madeMs + dayMs },
  ];
}

/** Returns the condition that limits a search to a time span. */
function within({ correlated, madeAt = "created_at" }: SearchedCollection, { fromMs, toMs }: Span): object {
  if (correlated === "by_id") return { _id: { $gte: idFrom(fromMs), $lt: idFrom(toMs) } };
  return { [madeAt]: { $gte: new Date(fromMs), $lt: new Date(toMs) } };
}

/** Returns an id that sorts before every UUIDv7 of this time or later, and after all earlier ones. */
function idFrom(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Returns the time in a UUIDv7 (RFC 9562, 5.7); null for any other id. */
function timeOfId(id: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

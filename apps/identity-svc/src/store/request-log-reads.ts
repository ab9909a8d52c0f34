import { defined } from "@platform/kit/process/fields";
import type { PageRequest } from "@platform/kit/store/documents";
import type { mongo } from "mongoose";
import type { RequestLine, StatusRange } from "../domain/request-line.ts";
import type { RequestBucketDocument, RequestReporterDocument } from "./request-log-model.ts";

/** Conditions on lines; a condition that is null matches every line. */
export type RequestLineFilter = {
  readonly clientId: string | null;
  readonly status: StatusRange | null;
  readonly code: string | null;
  readonly operation: string | null;
  readonly credentialId: string | null;
  readonly correlationId: string | null;
  readonly since: Date | null;
};

/** A line with its client. */
export type ClientRequestLine = RequestLine & { readonly project_client_id: string };

/** Entries of a minute, and the number of dropped ones. */
export type RequestMinute = {
  readonly at: Date;
  readonly codes: Readonly<Record<string, number>>;
  readonly dropped: number;
};

/** Position of an entry in the list: newest first, then by its bucket and the position within it. */
type Place = { readonly at: number; readonly bucket: string; readonly index: number };
type Found = Place & { readonly line: ClientRequestLine };

const minuteMs = 60_000;
/** Number of buckets that the database returns in one batch. */
const batchSize = 20;
/** A gateway reports every few seconds. One that has been silent for this long has ended. */
const silentMs = 30_000;
/** How late a report's change may become visible to followers, because of the clocks and writes of several servers. */
const followOverlapMs = 10_000;

const isBefore = (a: Place, b: Place): boolean =>
  a.at !== b.at ? a.at > b.at : a.bucket !== b.bucket ? a.bucket > b.bucket : a.index > b.index;
const compare = (a: Place, b: Place): number => (isBefore(a, b) ? -1 : 1);

/** Reads the request log. */
export function requestLogReads(
  buckets: mongo.Collection<RequestBucketDocument>,
  reporters: mongo.Collection<RequestReporterDocument>,
) {
  return {
    /**
     * A page of lines, newest first.
     * @param after the position of the last line of the previous page
     */
    list: async (
      filter: RequestLineFilter,
      limit: number,
      after: Place | null,
    ): Promise<{ lines: ClientRequestLine[]; last: Place | null }> => {
      const wanted = isWanted(filter);
      const cursor = buckets
        .find(bucketFilter(filter, after), { projection: { reports: 0, codes: 0 } })
        .sort({ minute: -1, last_at: -1, _id: -1 })
        .batchSize(batchSize);
      let found: Found[] = [];
      try {
        for await (const { _id, project_client_id, lines, last_at } of cursor) {
          const edge = found[limit];
          // Neither this bucket nor a later one contains a line that belongs on this page.
          if (edge !== undefined && edge.at > last_at.getTime()) break;
          for (const [index, line] of lines.entries()) {
            const place = { at: line.at.getTime(), bucket: _id, index };
            if (wanted(line) && (after === null || isBefore(after, place)))
              found.push({ ...place, line: { ...line, project_client_id } });
          }
          found = found.sort(compare).slice(0, limit + 1);
        }
      } finally {
        await cursor.close();
      }
      const shown = found.slice(0, limit);
      return { lines: shown.map(({ line }) => line), last: found.length > limit ? (shown.at(-1) ?? null) : null };
    },
    /** The minutes of a client in which something was logged or dropped, oldest first. */
    summarize: async (clientId: string, since: Date): Promise<RequestMinute[]> => {
      const found = await buckets
        .find(
          { project_client_id: clientId, minute: { $gte: minuteOf(since) } },
          { projection: { minute: 1, codes: 1, dropped: 1 } },
        )
        .sort({ minute: 1 })
        .toArray();
      const minutes = new Map<number, { at: Date; codes: Record<string, number>; dropped: number }>();
      for (const { minute, codes = {}, dropped } of found) {
        const sum = minutes.getOrInsertComputed(minute.getTime(), () => ({ at: minute, codes: {}, dropped: 0 }));
        for (const [code, count] of Object.entries(codes)) sum.codes[code] = (sum.codes[code] ?? 0) + count;
        sum.dropped += dropped;
      }
      return [...minutes.values()];
    },
    /** Times after which requests of a gateway process are missing, because the process ended without its last report. */
    unreported: async (since: Date, now: Date): Promise<Date[]> => {
      const found = await reporters
        .find({
          is_over: false,
          reported_until: { $gte: since },
          seen_at: { $lt: new Date(now.getTime() - silentMs) },
        })
        .sort({ reported_until: 1 })
        .toArray();
      return found.map(({ reported_until }) => reported_until);
    },
    /**
     * Follows a client's entries: each call returns those that have arrived since the previous call, oldest first.
     * @param after only entries of requests that ended after this time
     */
    follow: (clientId: string, after: Date) => {
      /** Number of entries of a bucket that were returned. */
      const returned = new Map<string, { count: number; changedAt: Date }>();
      let changed = after;
      return async (): Promise<RequestLine[]> => {
        const from = new Date(changed.getTime() - followOverlapMs);
        const found = await buckets
          .find(
            { project_client_id: clientId, changed_at: { $gte: from } },
            { projection: { lines: 1, count: 1, changed_at: 1 } },
          )
          .toArray();
        const lines = found.flatMap(({ _id, lines: all, changed_at }) => {
          const rest = all.slice(returned.get(_id)?.count ?? 0);
          returned.set(_id, { count: all.length, changedAt: changed_at });
          if (changed_at > changed) changed = changed_at;
          return rest;
        });
        for (const [id, { changedAt }] of returned) if (changedAt < from) returned.delete(id);
        return lines.filter(({ at }) => at > after).sort((a, b) => a.at.getTime() - b.at.getTime());
      };
    },
  };
}

function isWanted({ status, code, operation, credentialId, correlationId, since }: RequestLineFilter) {
  return (line: RequestLine): boolean =>
    (since === null || line.at >= since) &&
    (status === null || (line.status >= status.least && line.status <= status.most)) &&
    (code === null || line.code === code) &&
    (operation === null || line.operation === operation) &&
    (credentialId === null || line.credential_id === credentialId) &&
    (correlationId === null || line.correlation_id === correlationId);
}

/** Filter for the buckets that may contain lines that match. */
function bucketFilter(filter: RequestLineFilter, after: Place | null): mongo.Filter<RequestBucketDocument> {
  const { clientId, status, code, operation, credentialId, correlationId, since } = filter;
  const line = {
    ...(status === null ? {} : { status: { $gte: status.least, $lte: status.most } }),
    ...defined({ code, operation, credential_id: credentialId }),
  };
  const minute = {
    // The marker of an erased client has no minute, so this condition excludes it.
    $gte: since === null ? new Date(0) : minuteOf(since),
    ...(after === null ? {} : { $lte: minuteOf(new Date(after.at)) }),
  };
  return {
    ...defined({ project_client_id: clientId }),
    minute,
    ...(Object.keys(line).length === 0 ? {} : { lines: { $elemMatch: line } }),
    // This condition is separate from the others, so that its index is used.
    ...defined({ "lines.correlation_id": correlationId }),
  } as mongo.Filter<RequestBucketDocument>;
}

const minuteOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % minuteMs));

/** Writes the cursor of a page: the position of its last line. */
export const cursorOf = ({ at, bucket, index }: Place): PageRequest["cursor"] =>
  Buffer.from(`${at} ${index} ${bucket}`).toString("base64url");

/** Reads a cursor; returns null if the text is not one. */
export function readPlace(cursor: string): Place | null {
  const [, at, index, bucket] =
    /^(\d{1,15}) (\d{1,3}) (.{1,200})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (at === undefined || bucket === undefined) return null;
  return { at: Number(at), index: Number(index), bucket };
}

import { addOnce, collectionOf } from "@platform/kit/store/documents";
import { clientCondition, type RetentionSweep } from "@platform/operator-plane/retention";
import { createErasedClients } from "@platform/operator-plane/usage/store";
import { LRUCache } from "lru-cache";
import type { Connection } from "mongoose";
import type { RequestLine } from "../domain/request-line.ts";
import { bucketLinesMax, requestBucketModel, requestReporterModel } from "./request-log-model.ts";
import { requestLogReads } from "./request-log-reads.ts";

/** Entries that a gateway logged for a client in one minute. */
export type LoggedMinute = {
  readonly clientId: string;
  readonly minute: Date;
  readonly lines: readonly RequestLine[];
  /** Number of requests that the gateway could not log, because its buffer was full. */
  readonly dropped: number;
};

/** Entries that a gateway logged since its previous report. */
export type RequestReport = {
  /** Identifies the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Number of the report, counted from 1 for each process. */
  readonly sequence: number;
  readonly minutes: readonly LoggedMinute[];
  /**
   * Everything that the process logged before this time has been reported. Null if later reports will contain some of
   * it.
   */
  readonly reportedUntil: Date | null;
  readonly isLast: boolean;
};

/** How long the request log is kept, in days, unless a client's setting overrides it. */
export const requestLogRetention = { request_log: 7 } as const;

/** Maximum number of lines that are added by one write. More than fit into a bucket get a bucket of their own. */
export const additionLinesMax = 500;
/** Documents of a report that are written concurrently. */
const parallel = 50;
/** Maximum number of minutes whose current bucket is cached, so that full buckets are not tried again. */
const knownMax = 10_000;

/** The request log: a document for each client and minute, and further ones if a minute has more than 100 entries. */
export function createRequestLogStore(connection: Connection) {
  const model = requestBucketModel(connection);
  const buckets = collectionOf(model);
  const reporters = collectionOf(requestReporterModel(connection));
  const erased = createErasedClients(model, "erased_at");
  /** The number of the bucket that was last added to, by client and minute. */
  const current = new LRUCache<string, number>({ max: knownMax });

  /**
   * Adds to the first bucket of the minute that has space. A bucket never regains space, so a report that is sent
   * twice, even concurrently, finds either itself or the same bucket.
   */
  const add = async (
    { clientId, minute, lines, dropped }: LoggedMinute,
    { reporterId, sequence }: RequestReport,
    now: Date,
  ): Promise<void> => {
    const name = `${clientId} ${minute.toISOString().slice(0, 16)}`;
    const report = `reports.${reporterId}`;
    const newest = new Date(Math.max(minute.getTime(), ...lines.map(({ at }) => at.getTime())));
    for (let number = current.get(name) ?? 0; ; number += 1) {
      const _id = `${name} ${number}`;
      const space = Math.max(0, bucketLinesMax - lines.length);
      const isNew = { [report]: { $not: { $gte: sequence } }, count: { $lte: space } };
      const wasAdded = await addOnce(buckets, _id, isNew, {
        $push: { lines: { $each: lines } },
        $inc: { count: lines.length, dropped, ...byCode(lines) },
        $max: { last_at: newest },
        $set: { project_client_id: clientId, minute, changed_at: now, [report]: sequence },
      });
      if (wasAdded) {
        current.set(name, number);
        return;
      }
      const found = await buckets.findOne({ _id }, { projection: { [report]: 1 } });
      if ((found?.reports?.[reporterId] ?? 0) >= sequence) return;
    }
  };

  return {
    /** Adds a report. Its entries are added only once, however often it is sent. */
    record: async (report: RequestReport, now: Date): Promise<void> => {
      const { minutes, reporterId, reportedUntil, isLast } = report;
      for (let at = 0; at < minutes.length; at += parallel)
        await Promise.all(minutes.slice(at, at + parallel).map((minute) => add(minute, report, now)));
      await erased.removeErased(new Set(minutes.map(({ clientId }) => clientId)));
      if (reportedUntil === null) return;
      await reporters.updateOne(
        { _id: reporterId },
        { $max: { reported_until: reportedUntil }, $set: { seen_at: now, is_over: isLast } },
        { upsert: true },
      );
    },
    /** Removes a client's log permanently. @returns how many documents */
    forget: erased.forget,
    /** Removes buckets whose retention has ended. */
    sweep: {
      kind: "request_log",
      removeBatch: async (scope, before, limit) => {
        const found = await buckets
          .find({ minute: { $lt: before }, ...clientCondition(scope) }, { projection: { _id: 1 } })
          .limit(limit)
          .toArray();
        await buckets.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
        return found.length;
      },
    } satisfies RetentionSweep,
    ...requestLogReads(buckets, reporters),
  };
}

/** Increments of the counts by error code. */
function byCode(lines: readonly RequestLine[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of lines) {
    const path = `codes.${code ?? "ok"}`;
    counts[path] = (counts[path] ?? 0) + 1;
  }
  return counts;
}

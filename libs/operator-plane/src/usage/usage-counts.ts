import { defined } from "@platform/kit/process/fields";
import { addReport, collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { createErasedClients } from "./erased-clients.ts";
import type { UsageReport } from "./usage-report.ts";

/** A client's usage of one kind in an hour or a day. */
export type UsageCount = { readonly at: Date; readonly kind: string; readonly count: number };

/**
 * A client's requests in an hour. Requests that were rejected before they were counted against a quota are only in
 * `refused`.
 */
export type RequestHour = {
  readonly clientId: string;
  readonly at: Date;
  readonly requests: number;
  readonly refused: number;
};

type UsageDocument = {
  /** Identifies the client, the kind and the hour. */
  _id: string;
  project_client_id: string;
  kind: string;
  hour: Date;
  count: number;
  /** For each process, the sequence number of its last report that is included in the count. */
  reports: Record<string, number>;
};

const keptSeconds = 400 * 86_400;
const dayMs = 86_400_000;
/** Identifies the sums of all clients, in place of a client's id. Each report is added to these sums as well. */
const everyClient = "";

/** Matches the kinds under which gateways count requests: all of them, and the rejected ones by reason. */
const requestKinds = /^(?:requests$|refused_)/;

const schema = new Schema<UsageDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    kind: { type: String, required: true },
    hour: { type: Date, required: true },
    count: { type: Number, required: true },
    reports: { type: Schema.Types.Mixed, required: true },
  },
  { collection: "usage_counts", strict: "throw", versionKey: false, minimize: false },
);
schema.index({ project_client_id: 1, hour: 1, kind: 1 });
schema.index({ hour: 1 }, { expireAfterSeconds: keptSeconds });

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Stores a service's counts by client, kind and hour for 400 days. */
export function createUsageStore(connection: Connection) {
  const model = connection.model<UsageDocument>("UsageCount", schema);
  const collection = collectionOf(model);
  const erased = createErasedClients(model, "hour");

  return {
    /** Adds a report. A report whose response was lost can be sent again, because each count includes it only once. */
    record: async (report: UsageReport): Promise<void> => {
      await addReport(
        collection,
        report,
        [...report.counts, ...sumsOf(report)].map(({ ownerId: clientId, kind, hour, count }) => ({
          id: `${clientId} ${kind} ${hour.toISOString()}`,
          counts: { count },
          fields: { project_client_id: clientId, kind, hour },
        })),
      );
      await erased.removeErased(new Set(report.counts.map(({ ownerId }) => ownerId)));
    },
    /** Removes a client's counts permanently. @returns the number of removed documents */
    forget: erased.forget,
    /** Lists a client's counts from an hour on, oldest first, or the sums of all clients if no client is given. */
    list: async (clientId: string, kind: string | null, since: Date, by: "hour" | "day"): Promise<UsageCount[]> => {
      const filter = { project_client_id: clientId, hour: { $gte: since }, ...defined({ kind }) };
      const rows = await collection
        .find(filter, { projection: { kind: 1, hour: 1, count: 1 } })
        .sort({ hour: 1, kind: 1 })
        .toArray();
      if (by === "hour") return rows.map(({ hour: at, kind: name, count }) => ({ at, kind: name, count }));
      const days = new Map<string, UsageCount>();
      for (const row of rows) {
        const at = new Date(Math.floor(row.hour.getTime() / dayMs) * dayMs);
        const name = `${at.getTime()} ${row.kind}`;
        days.set(name, { at, kind: row.kind, count: (days.get(name)?.count ?? 0) + row.count });
      }
      return [...days.values()];
    },
    /**
     * Lists the requests of several clients by hour, from an hour on, oldest first. Hours without requests are omitted.
     */
    requestHours: async (clientIds: readonly string[], since: Date): Promise<RequestHour[]> => {
      const filter = { project_client_id: { $in: [...clientIds] }, hour: { $gte: since }, kind: requestKinds };
      const rows = await collection
        .find(filter, { projection: { project_client_id: 1, kind: 1, hour: 1, count: 1 } })
        .sort({ hour: 1 })
        .toArray();
      const hours = new Map<string, RequestHour>();
      for (const { project_client_id: clientId, hour: at, kind, count } of rows) {
        const key = `${clientId} ${at.getTime()}`;
        const known = hours.get(key) ?? { clientId, at, requests: 0, refused: 0 };
        const counted = kind === "requests" ? "requests" : "refused";
        hours.set(key, { ...known, [counted]: known[counted] + count });
      }
      return [...hours.values()];
    },
  };
}

/** Returns the sums of a report over all its clients, by kind and hour. */
function sumsOf({ counts }: UsageReport): UsageReport["counts"] {
  const sums = new Map<string, UsageReport["counts"][number]>();
  for (const { kind, hour, count } of counts) {
    const key = `${kind} ${hour.getTime()}`;
    sums.set(key, { ownerId: everyClient, kind, hour, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums.values()];
}

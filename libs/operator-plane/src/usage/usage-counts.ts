import { defined } from "@platform/kit/process/fields";
import { addReport, collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { createErasedClients } from "./erased-clients.ts";
import type { UsageReport } from "./usage-report.ts";

/** A client's usage of a kind in an hour or a day. */
export type UsageCount = { readonly at: Date; readonly kind: string; readonly count: number };

/** A client's requests in an hour. Those that were refused before they were counted against a quota are only in `refused`. */
export type RequestHour = {
  readonly clientId: string;
  readonly at: Date;
  readonly requests: number;
  readonly refused: number;
};

type UsageDocument = {
  /** Client, kind and hour. */
  _id: string;
  project_client_id: string;
  kind: string;
  hour: Date;
  count: number;
  /** The last report of each process that is included in the count. */
  reports: Record<string, number>;
};

const keptSeconds = 400 * 86_400;
const dayMs = 86_400_000;
/** Used in place of a client's id for the sums of all clients, to which each report is added as well. */
const everyClient = "";

/** The kinds under which gateways count requests, and refused ones by reason. */
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

/** A service's counts by client, kind and hour, kept for 400 days. */
export function createUsageStore(connection: Connection) {
  const model = connection.model<UsageDocument>("UsageCount", schema);
  const collection = collectionOf(model);
  const erased = createErasedClients(model, "hour");

  return {
    /** Adds a report. Each count includes it once, so a report whose response was lost can be sent again. */
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
    /** Removes a client's counts permanently. @returns how many documents */
    forget: erased.forget,
    /** A client's counts from an hour on, oldest first; without a client's id, the sums of all clients. */
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
    /** The requests of several clients by hour, from an hour on, oldest first. Hours without a request are left out. */
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

/** Sums of a report over all its clients, by kind and hour. */
function sumsOf({ counts }: UsageReport): UsageReport["counts"] {
  const sums = new Map<string, UsageReport["counts"][number]>();
  for (const { kind, hour, count } of counts) {
    const key = `${kind} ${hour.getTime()}`;
    sums.set(key, { ownerId: everyClient, kind, hour, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums.values()];
}

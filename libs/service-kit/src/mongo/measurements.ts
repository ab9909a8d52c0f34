import { type Connection, Schema } from "mongoose";
import { isMeasurementKey, type MeasurementReport, readMeasurementKey } from "../process/measurement.ts";
import { collectionOf } from "./collection-of.ts";
import { createErasedClients } from "./erased-clients.ts";
import { isDuplicateKey } from "./store-failure.ts";

type Values = Readonly<Record<string, number>>;

type MeasurementDocument = {
  /** Client, or `-` for the platform, and time. */
  readonly _id: string;
  readonly project_client_id: string;
  readonly at: Date;
  readonly sums?: Values;
  readonly peaks?: Values;
  readonly latest?: Values;
  /** The last report of each process that is in it. */
  readonly reports: Readonly<Record<string, number>>;
  readonly reported_at: Date;
};

/** What was measured in one slot, by key. */
export type MeasurementSlot = {
  readonly at: Date;
  readonly reportedAt: Date;
  readonly sums: Values;
  readonly peaks: Values;
  readonly latest: Values;
};

const keptSeconds = 31 * 86_400;

const schema = new Schema<MeasurementDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String },
    at: { type: Date, required: true },
    sums: { type: Schema.Types.Mixed },
    peaks: { type: Schema.Types.Mixed },
    latest: { type: Schema.Types.Mixed },
    reports: { type: Schema.Types.Mixed, required: true },
    reported_at: { type: Date, required: true },
  },
  { collection: "measurements", strict: "throw", versionKey: false, minimize: false },
);
schema.index({ project_client_id: 1, at: 1 });
schema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });

export type MeasurementStore = ReturnType<typeof createMeasurementStore>;

/** What the processes of a service measured: one document for each client and hour, and for the platform and ten minutes. Kept for 31 days. */
export function createMeasurementStore(connection: Connection) {
  const model = connection.model<MeasurementDocument>("Measurement", schema);
  const collection = collectionOf(model);
  const erased = createErasedClients(model, "at");

  const add = async (
    { reporterId, sequence }: Pick<MeasurementReport, "reporterId" | "sequence">,
    { clientId, at, sums, gauges }: MeasurementReport["slots"][number],
    now: Date,
  ): Promise<void> => {
    const report = `reports.${reporterId}`;
    const named = (prefix: string, values: Values) =>
      Object.fromEntries(
        Object.entries(values).flatMap(([key, value]) =>
          isMeasurementKey(key) && Number.isFinite(value) ? [[`${prefix}.${key}`, value]] : [],
        ),
      );
    try {
      await collection.updateOne(
        { _id: `${clientId || "-"} ${at.toISOString()}`, [report]: { $not: { $gte: sequence } } },
        {
          ...without({ $inc: named("sums", sums) }),
          $max: { ...named("peaks", gauges), reported_at: now },
          $set: { ...named("latest", gauges), [report]: sequence, project_client_id: clientId, at },
        },
        { upsert: true },
      );
    } catch (error) {
      // It is there and has this report: the upsert tried to insert a second one.
      if (!isDuplicateKey(error)) throw error;
    }
  };

  return {
    /** Adds a report. Each slot includes it once, so a report whose answer was lost can be sent again. Keys that are none are left out. */
    record: async ({ slots, ...report }: MeasurementReport, now: Date): Promise<void> => {
      for (let from = 0; from < slots.length; from += 50) {
        await Promise.all(slots.slice(from, from + 50).map((slot) => add(report, slot, now)));
      }
      const clientIds = new Set(slots.map(({ clientId }) => clientId).filter((clientId) => clientId !== ""));
      if (clientIds.size > 0) await erased.removeErased(clientIds);
    },
    /** The slots of a client, or with "" of the platform, from a time on; with the values of the named metrics only. */
    list: async (clientId: string, names: ReadonlySet<string>, since: Date): Promise<MeasurementSlot[]> => {
      const documents = (await collection
        .find({ project_client_id: clientId, at: { $gte: since } }, { projection: { reports: 0 } })
        .sort({ at: 1 })
        .toArray()) as MeasurementDocument[];
      const wanted = (values: Values = {}): Values =>
        Object.fromEntries(Object.entries(values).filter(([key]) => names.has(readMeasurementKey(key).name)));
      return documents.map(({ at, reported_at, sums, peaks, latest }) => ({
        at,
        reportedAt: reported_at,
        sums: wanted(sums),
        peaks: wanted(peaks),
        latest: wanted(latest),
      }));
    },
    /** Removes what belongs to a client for good. @returns how many documents */
    forget: erased.forget,
  };
}

/** An operator of an update, unless it would be empty, which MongoDB refuses. */
function without(update: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(update).filter(([, fields]) => Object.keys(fields).length > 0));
}

import { addOnce, collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

export const componentStates = ["ok", "degraded", "down"] as const;
export type ComponentState = (typeof componentStates)[number];

/** How many minutes of a day a component was in each state. */
export type ComponentMinutes = Readonly<Record<ComponentState, number>> & { readonly name: string };
export type HealthDay = { readonly day: string; readonly components: readonly ComponentMinutes[] };

type HealthDayDocument = {
  /** UTC day, such as 2026-01-31. */
  readonly _id: string;
  readonly began_at: Date;
  /** Minutes by component and state. */
  readonly minutes: Readonly<Record<string, Partial<Record<ComponentState, number>>>>;
  /** The minutes of the day that have been counted, from 0 to 1,439. */
  readonly counted: readonly number[];
};

const dayMs = 86_400_000;
const minuteMs = 60_000;
const keptSeconds = 92 * 86_400;

const schema = new Schema<HealthDayDocument>(
  {
    _id: { type: String, required: true },
    began_at: { type: Date, required: true },
    minutes: { type: Schema.Types.Mixed },
    counted: { type: [Number] },
  },
  { collection: "health_days", strict: "throw", versionKey: false },
);
schema.index({ began_at: 1 }, { expireAfterSeconds: keptSeconds });

/** Stores the history of the status page, with one document per day, which is kept for 92 days. */
export function createHealthDayStore(connection: Connection) {
  const collection = collectionOf(connection.model<HealthDayDocument>("HealthDay", schema));
  return {
    /** Counts a minute once; the first report of it is kept. */
    addMinute: async (at: Date, states: Readonly<Record<string, ComponentState>>): Promise<void> => {
      const beganAtMs = Math.floor(at.getTime() / dayMs) * dayMs;
      const minute = Math.floor((at.getTime() - beganAtMs) / minuteMs);
      const counts = Object.entries(states).map(([name, state]) => [`minutes.${name}.${state}`, 1]);
      await addOnce(
        collection,
        dayOf(beganAtMs),
        { counted: { $ne: minute } },
        {
          ...(counts.length > 0 && { $inc: Object.fromEntries(counts) }),
          $push: { counted: minute },
          $setOnInsert: { began_at: new Date(beganAtMs) },
        },
      );
    },
    /** The last days, oldest first, without days for which nothing is recorded. */
    list: async (now: Date, days: number): Promise<HealthDay[]> => {
      const since = dayOf(now.getTime() - (days - 1) * dayMs);
      const found = await collection
        .find({ _id: { $gte: since } }, { projection: { minutes: 1 } })
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ _id, minutes = {} }) => ({
        day: _id,
        components: Object.entries(minutes).map(([name, { ok = 0, degraded = 0, down = 0 }]) => ({
          name,
          ok,
          degraded,
          down,
        })),
      }));
    },
  };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

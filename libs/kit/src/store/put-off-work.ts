import { type Connection, Schema } from "mongoose";

/** An item whose work failed and is postponed. */
export type PutOffItem = {
  readonly sweep: string;
  readonly item: string;
  readonly attempts: number;
  /** Time of the first failure. */
  readonly since: Date;
  /** The item is not attempted again before this time. */
  readonly dueAt: Date;
};

/** Items that sweeps have postponed. Every replica reads them, and so does a restarted process. */
export type PutOffStore = ReturnType<typeof createPutOffStore>;

type PutOffDocument = {
  readonly _id: string;
  readonly sweep: string;
  readonly item: string;
  readonly attempts: number;
  readonly since: Date;
  readonly due_at: Date;
};

/** Collection of items that sweeps have postponed. Backups leave it out, because a sweep finds due items again. */
export const putOffCollection = "put_off_work";

const schema = new Schema<PutOffDocument>(
  {
    _id: { type: String, required: true },
    sweep: { type: String, required: true },
    item: { type: String, required: true },
    attempts: { type: Number, required: true },
    since: { type: Date, required: true },
    due_at: { type: Date, required: true },
  },
  { collection: putOffCollection, strict: "throw", versionKey: false },
);
schema.index({ sweep: 1, since: 1 });

export function createPutOffStore(connection: Connection) {
  const model = connection.model<PutOffDocument>("PutOffWork", schema);
  const idOf = (sweep: string, item: string): string => `${sweep} ${item}`;
  return {
    /** Returns the items that a sweep has postponed, those that failed first before the others, at most `limit`. */
    list: async (sweep: string, limit: number): Promise<PutOffItem[]> => {
      const found = await model.find({ sweep }).sort({ since: 1 }).limit(limit).lean<PutOffDocument[]>();
      return found.map(({ item, attempts, since, due_at: dueAt }) => ({ sweep, item, attempts, since, dueAt }));
    },
    /** Records a failure and keeps the time of the first one. */
    putOff: async (sweep: string, item: string, dueAt: Date, now: Date): Promise<void> => {
      await model.updateOne(
        { _id: idOf(sweep, item) },
        { $set: { due_at: dueAt }, $inc: { attempts: 1 }, $setOnInsert: { sweep, item, since: now } },
        { upsert: true },
      );
    },
    /** Removes items that are done or no longer exist. */
    forget: async (sweep: string, items: readonly string[]): Promise<void> => {
      if (items.length > 0) await model.deleteMany({ _id: { $in: items.map((item) => idOf(sweep, item)) } });
    },
    /** Returns for each sweep since when its longest-failing item has been failing. */
    oldest: async (): Promise<{ sweep: string; since: Date }[]> => {
      const rows = await model.aggregate<{ _id: string; since: Date }>([
        { $group: { _id: "$sweep", since: { $min: "$since" } } },
      ]);
      return rows.map(({ _id, since }) => ({ sweep: _id, since }));
    },
  };
}

import { type Connection, type Model, Schema } from "mongoose";

/** Stored bytes that no record needs. */
type CandidateDocument = {
  /** Key of the blob. */
  readonly _id: string;
  /** Time at which a sweep first found that no record needs these bytes. */
  readonly found_at: Date;
  /** Time of the sweep that found them last. */
  readonly seen_at: Date;
  /** True if a record plans to delete them, so that they need not wait. */
  readonly is_released: boolean;
};

export type OrphanCandidateModel = Model<CandidateDocument>;
export type OrphanCandidates = ReturnType<typeof createOrphanCandidates>;

/**
 * Name of the collection of candidates. Backups exclude it, so that after a restore every orphan waits for its full
 * time again.
 */
export const orphanCandidatesCollection = "orphan_candidates";

const schema = new Schema<CandidateDocument>(
  {
    _id: { type: String, required: true },
    found_at: { type: Date, required: true },
    seen_at: { type: Date, required: true },
    is_released: { type: Boolean, required: true },
  },
  { collection: orphanCandidatesCollection, strict: "throw", versionKey: false },
);
schema.index({ seen_at: 1, found_at: 1 });

export const orphanCandidateModel = (connection: Connection): OrphanCandidateModel =>
  connection.model<CandidateDocument>("OrphanCandidate", schema);

/** Stores orphans for a waiting period, before they are removed. */
export function createOrphanCandidates(model: OrphanCandidateModel) {
  return {
    /** Records a page of keys that a sweep has found. Keys that were found before keep their first time. */
    note: async (keys: readonly { readonly key: string; readonly isReleased: boolean }[], sweepAt: Date) => {
      if (keys.length === 0) return;
      await model.bulkWrite(
        keys.map(({ key, isReleased }) => ({
          updateOne: {
            filter: { _id: key },
            update: { $set: { seen_at: sweepAt, is_released: isReleased }, $setOnInsert: { found_at: sweepAt } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
    /** Removes candidates that a completed sweep has not found again. */
    forgetUnseen: async (sweepAt: Date): Promise<void> => {
      await model.deleteMany({ seen_at: { $lt: sweepAt } });
    },
    /** Number of orphans that a sweep has found. */
    count: (sweepAt: Date): Promise<number> => model.countDocuments({ seen_at: sweepAt }),
    /**
     * Lists keys that a sweep may remove, because they were released or were found before `foundBefore`. They are in
     * order, and start after `afterKey`.
     */
    listDue: async (sweepAt: Date, foundBefore: Date, afterKey: string, limit: number): Promise<string[]> => {
      const due = await model
        .find(
          {
            _id: { $gt: afterKey },
            seen_at: sweepAt,
            $or: [{ is_released: true }, { found_at: { $lte: foundBefore } }],
          },
          { _id: 1 },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .lean<{ _id: string }[]>();
      return due.map(({ _id }) => _id);
    },
    forget: async (key: string): Promise<void> => {
      await model.deleteOne({ _id: key });
    },
    /** Removes all candidates, so that each waits for its full time again. */
    forgetAll: async (): Promise<void> => {
      await model.deleteMany({});
    },
  };
}

import { newId } from "@platform/kit/process/secrets";
import { type Connection, type Model, Schema } from "mongoose";
import { z } from "zod";
import { ownerOfBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { BytesRecords } from "./bytes-records.ts";

/** The reason why it cannot be proven that the database owns the bucket. */
export type OwnershipProblem = "unmarked_bucket" | "other_database" | "database_older";

/** The reason why a sweep removes no bytes. */
export type StopReason = OwnershipProblem | "too_many_orphans";
export const stopReasons: readonly StopReason[] = [
  "unmarked_bucket",
  "other_database",
  "database_older",
  "too_many_orphans",
];

/**
 * The database's part of the proof that it owns the bucket. The bucket's marker contains `owner_id`, and each sweep
 * increments `generation` here before it writes it to the marker. A marker that is ahead of its database therefore
 * shows that the database was restored to an earlier time.
 */
type OwnershipDocument = {
  readonly _id: "bucket";
  readonly owner_id: string;
  readonly generation: number;
  /** The process that is sweeping, and the time until which no other process may sweep. */
  readonly swept_by?: string;
  readonly swept_until?: Date;
  readonly next_sweep_at?: Date;
  /**
   * The reason why the last sweep removed nothing, how many orphans it found, and how many an operator has accepted.
   */
  readonly stopped?: StopReason | null;
  readonly orphans?: number;
  readonly accepted_orphans?: number;
};

export type OwnershipModel = Model<OwnershipDocument>;

const schema = new Schema<OwnershipDocument>(
  {
    _id: { type: String, required: true },
    owner_id: { type: String, required: true },
    generation: { type: Number, required: true },
    swept_by: String,
    swept_until: Date,
    next_sweep_at: Date,
    stopped: String,
    orphans: Number,
    accepted_orphans: Number,
  },
  { collection: "bucket_ownership", strict: "throw", versionKey: false },
);

export const ownershipModel = (connection: Connection): OwnershipModel =>
  connection.model<OwnershipDocument>("BucketOwnership", schema);

const markerSchema = z.object({ owner_id: z.string(), database: z.string(), generation: z.number() });
type Marker = z.infer<typeof markerSchema>;

export type BucketOwnership = ReturnType<typeof createBucketOwnership>;

const one = { _id: "bucket" } as const;
const sampleMax = 1_000;
const sweepLeaseMs = 10 * 60_000;
const sweepEveryMs = 3_600_000;

/**
 * Proves that the bytes of a bucket belong to this database, and allows only one process at a time to sweep orphans.
 */
export function createBucketOwnership(
  model: OwnershipModel,
  blobs: Pick<BlobStore, "readMarker" | "writeMarker" | "list">,
  records: BytesRecords,
) {
  const database = model.db.name;
  const read = (): Promise<OwnershipDocument | null> => model.findOne(one).lean<OwnershipDocument | null>();
  const writeMarker = (owner_id: string, generation: number): Promise<void> =>
    blobs.writeMarker(JSON.stringify({ owner_id, database, generation } satisfies Marker));

  /**
   * Returns whether the bucket is empty, or the database knows at least half of its first objects. Only then is a
   * bucket without a marker claimed.
   */
  const knowsBucket = async (): Promise<boolean> => {
    const keys: string[] = [];
    for await (const { key } of blobs.list()) {
      if (ownerOfBlobKey(key) !== null) keys.push(key);
      if (keys.length === sampleMax) break;
    }
    const uses = await records.usesOf(keys);
    return keys.filter((key) => uses.get(key) !== "unknown").length * 2 >= keys.length;
  };

  return {
    /**
     * Checks the marker against the database. At the first use of the bucket, it writes the marker. Null if the
     * bucket belongs to this database.
     */
    verify: async (): Promise<OwnershipProblem | null> => {
      // The marker is read first, because a process that sweeps concurrently increments the generation in the database
      // before the one in the marker.
      const text = await blobs.readMarker();
      const own = await read();
      if (text === null) {
        if (!(await knowsBucket())) return "unmarked_bucket";
        await model.updateOne(one, { $setOnInsert: { owner_id: newId(), generation: 0 } }, { upsert: true });
        const made = await read();
        if (made !== null) await writeMarker(made.owner_id, made.generation);
        return null;
      }
      const marker = parseMarker(text);
      if (own === null || marker?.owner_id !== own.owner_id || marker.database !== database) return "other_database";
      return marker.generation > own.generation ? "database_older" : null;
    },

    /**
     * Claims the next sweep. Returns false if it is not due, or if another process has claimed it. It must be called
     * only after `verify`.
     */
    begin: async (process: string, now: Date): Promise<boolean> => {
      const own = await model
        .findOneAndUpdate(
          {
            ...one,
            $and: [
              { $or: [{ next_sweep_at: { $exists: false } }, { next_sweep_at: { $lte: now } }] },
              { $or: [{ swept_until: { $exists: false } }, { swept_until: { $lte: now } }] },
            ],
          },
          { $set: { swept_by: process, swept_until: leaseEnd(now) }, $inc: { generation: 1 } },
          { returnDocument: "after" },
        )
        .lean<OwnershipDocument | null>();
      if (own === null) return false;
      await writeMarker(own.owner_id, own.generation);
      return true;
    },
    /** Renews the claim of a sweep. Returns false if another process has claimed it in the meantime. */
    renew: async (process: string, now: Date): Promise<boolean> =>
      (await model.updateOne({ ...one, swept_by: process }, { $set: { swept_until: leaseEnd(now) } })).matchedCount ===
      1,
    /** Ends a sweep and records its result. Once orphans were removed, an operator's approval is consumed. */
    end: async (
      process: string,
      now: Date,
      result: { readonly stopped: StopReason | null; readonly orphans: number; readonly removed: number },
    ): Promise<void> => {
      await model.updateOne(
        { ...one, swept_by: process },
        {
          $set: {
            stopped: result.stopped,
            orphans: result.orphans,
            next_sweep_at: new Date(now.getTime() + sweepEveryMs),
          },
          $unset: { swept_by: "", swept_until: "", ...(result.removed > 0 ? { accepted_orphans: "" } : {}) },
        },
      );
    },
    /** The result of the last sweep, and how many orphans an operator has accepted. */
    state: async () => {
      const own = await read();
      return { stopped: own?.stopped ?? null, orphans: own?.orphans ?? 0, accepted: own?.accepted_orphans ?? 0 };
    },

    /** Assigns the bucket to this database, whatever its marker contains. For operators. */
    adopt: async (): Promise<void> => {
      const text = await blobs.readMarker();
      const marker = text === null ? null : parseMarker(text);
      const generation = Math.max((await read())?.generation ?? 0, marker?.generation ?? 0) + 1;
      // The id is a new one, so that a copy of this database with the old id no longer owns the bucket.
      const owner_id = newId();
      await model.updateOne(one, { $set: { owner_id, generation, stopped: null } }, { upsert: true });
      await writeMarker(owner_id, generation);
    },
    /** Allows the next sweeps to remove up to this many orphans. For operators. */
    accept: async (count: number): Promise<void> => {
      await model.updateOne(one, { $set: { accepted_orphans: count } });
    },
  };
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + sweepLeaseMs);

function parseMarker(text: string): Marker | null {
  try {
    return markerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

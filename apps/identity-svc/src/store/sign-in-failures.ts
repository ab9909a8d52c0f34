import { createHash } from "node:crypto";
import { isConflict } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

type SignInFailuresDocument = {
  /** SHA-256 of the counted subject, so that no address is stored in clear text. */
  _id: string;
  failures: number;
  /** End of the window, or of the lock once the limit is reached. */
  ends_at: Date;
};

const schema = new Schema<SignInFailuresDocument>(
  {
    _id: { type: String, required: true },
    failures: { type: Number, required: true },
    ends_at: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false, collection: "sign_in_failures" },
);
schema.index({ ends_at: 1 }, { expireAfterSeconds: 0 });

export const failureWindowMs = 15 * 60 * 1000;
const beginTriesMax = 5;

/**
 * Counters of failed sign-ins and of requested password links. An attempt is counted before the password is checked, so that concurrent attempts
 * cannot all pass.
 */
export type SignInFailureStore = {
  /**
   * Counts an attempt against `subject`. The attempt that reaches `limit` still counts and starts the lock; later ones
   * are rejected and do not extend it.
   * @returns null if the attempt may proceed, otherwise the end of the lock
   */
  countTry(subject: string, limit: number, now: Date): Promise<Date | null>;
  /** Takes back the count of one attempt. */
  takeBack(subject: string): Promise<void>;
  /** Resets the count to zero. */
  forget(subject: string): Promise<void>;
};

const idOf = (subject: string): string => createHash("sha256").update(subject).digest("hex");

export function createSignInFailureStore(connection: Connection): SignInFailureStore {
  const model = connection.model<SignInFailuresDocument>("SignInFailures", schema);
  return {
    countTry: async (subject, limit, now) => {
      const _id = idOf(subject);
      const ends = new Date(now.getTime() + failureWindowMs);
      for (let attempt = 0; attempt < beginTriesMax; attempt += 1) {
        const isLast = await model.updateOne(
          { _id, ends_at: { $gt: now }, failures: limit - 1 },
          { $inc: { failures: 1 }, $set: { ends_at: ends } },
        );
        if (isLast.modifiedCount === 1) return null;
        const isCounted = await model.updateOne(
          { _id, ends_at: { $gt: now }, failures: { $lt: limit - 1 } },
          { $inc: { failures: 1 } },
        );
        if (isCounted.modifiedCount === 1) return null;
        const current = await model.findOne({ _id, ends_at: { $gt: now } }).lean<SignInFailuresDocument>();
        if (current !== null) {
          if (current.failures >= limit) return current.ends_at;
          continue; // Another attempt changed the counter between these commands, so it is read again.
        }
        try {
          await model.updateOne(
            { _id, ends_at: { $lte: now } },
            { $set: { failures: 1, ends_at: ends } },
            { upsert: true },
          );
          return null;
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
      return new Date(now.getTime() + 1000);
    },
    takeBack: async (subject) => {
      await model.updateOne({ _id: idOf(subject), failures: { $gt: 0 } }, { $inc: { failures: -1 } });
    },
    forget: async (subject) => {
      await model.deleteOne({ _id: idOf(subject) });
    },
  };
}

import type { mongo } from "mongoose";
import { isConflict, isDuplicateKey } from "./store-failure.ts";

type Counted = { readonly _id: string };

/**
 * Adds something to a document of counts exactly once, even if the addition is sent several times. Creates the document
 * if it does not exist.
 * @param isNew condition that is true until the document includes the addition
 * @param update makes the addition, and makes `isNew` false
 * @returns false if the document already included the addition
 */
export async function addOnce<D extends Counted>(
  collection: mongo.Collection<D>,
  id: string,
  isNew: Readonly<Record<string, unknown>>,
  update: Readonly<Record<`$${string}`, object>>,
): Promise<boolean> {
  const write = async (): Promise<boolean> => {
    const filter = { ...isNew, _id: id } as mongo.Filter<D>;
    const result = await collection.updateOne(filter, update as mongo.UpdateFilter<D>, { upsert: true });
    return result.modifiedCount + result.upsertedCount === 1;
  };
  try {
    return await write();
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  // The upsert tried to insert a second document with this id, or the server abandoned it because of a concurrent one.
  // Either the document already includes the addition, or another process inserted it in the meantime. Only a second
  // attempt, which finds the document, can distinguish the two.
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Identifies a report of a process. */
type ReportId = {
  /** Identifies the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Sequence number of the report, from 1. */
  readonly sequence: number;
};

/** Additions of a report to one document. */
export type Addition<D> = {
  readonly id: string;
  /** Increments, by path of the counter. */
  readonly counts: Readonly<Record<string, number>>;
  /** Fields that identify what is counted; the same in each report. */
  readonly fields: Partial<D>;
};

/** Number of documents of a report that are written concurrently. */
const parallel = 50;

/**
 * Adds a process's report to the documents that it concerns. A report whose response was lost can be sent again,
 * because each document stores the last report of each process in `reports`. A report may contain each document only
 * once.
 */
export async function addReport<D extends Counted & { readonly reports: Readonly<Record<string, number>> }>(
  collection: mongo.Collection<D>,
  { reporterId, sequence }: ReportId,
  additions: readonly Addition<D>[],
): Promise<void> {
  const report = `reports.${reporterId}`;
  for (let at = 0; at < additions.length; at += parallel) {
    const writes = additions
      .slice(at, at + parallel)
      .map(({ id, counts, fields }) =>
        addOnce(
          collection,
          id,
          { [report]: { $not: { $gte: sequence } } },
          { $inc: counts, $set: { ...fields, [report]: sequence } },
        ),
      );
    await Promise.all(writes);
  }
}

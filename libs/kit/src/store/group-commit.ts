import { mongo } from "mongoose";
import { createCoalescer } from "../process/coalescer.ts";
import { isDuplicateKey } from "./store-failure.ts";

/** Inserts documents that arrive at the same time with one command. Each document has its own outcome. */
export type GroupCommit<T> = {
  /**
   * Resolves when the document is stored with the write concern. Rejects with the document's own error; a duplicate key
   * has code 11000.
   */
  insert(document: T): Promise<void>;
};

type GroupCommitOptions = {
  /** Maximum number of documents in one command. Default 500. */
  readonly documentsMax?: number;
  /** Maximum number of commands in flight; further documents wait for the next one. Default 4. */
  readonly commandsMax?: number;
};

/**
 * Creates a group commit: all inserts of one event-loop tick share one insertMany, and thus one round trip, one journal
 * flush and one write concern. The insertMany is unordered, so that a duplicate does not fail other documents. Batching
 * adds no delay: a single insert is sent at the end of its tick.
 */
export function createGroupCommit<T extends object>(model: Inserted, options: GroupCommitOptions = {}): GroupCommit<T> {
  const insert = createCoalescer<T>(async (documents) => ({ failures: await insertEach(model, documents) }), {
    itemsMax: options.documentsMax ?? 500,
    callsMax: options.commandsMax ?? 4,
  });
  return { insert };
}

/** Target of inserts: a mongoose model, or anything with a collection of the driver. */
export type Inserted = {
  readonly collection: {
    insertMany(documents: readonly object[], options: { ordered: boolean }): Promise<unknown>;
    insertOne(document: object): Promise<unknown>;
  };
};

/**
 * Inserts documents with one command. Each document has its own outcome.
 * @returns the failures by index; a duplicate has code 11000
 * @throws if the outcome of all documents is unknown, because the command failed as a whole or its write concern was
 * not met
 */
export async function insertEach<T extends object>(
  { collection }: Inserted,
  documents: readonly T[],
): Promise<ReadonlyMap<number, unknown>> {
  try {
    await collection.insertMany(documents, { ordered: false });
    return new Map();
  } catch (error) {
    const failures = writeErrorsOf(error);
    if (failures !== null) return failures;
    if (!isDuplicateKey(error)) throw error;
    // The server reports only that some document is a duplicate. Each document is inserted on its own to find out
    // which.
    const outcomes = await Promise.allSettled(documents.map((document) => collection.insertOne(document)));
    return new Map(
      outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [[index, outcome.reason] as const] : [])),
    );
  }
}

type BulkError = {
  readonly writeErrors?: unknown;
  readonly result?: { getWriteConcernError?: () => unknown };
};

/**
 * Returns the failures of a bulk write by index, each as a driver error with the server's code. Returns null if the
 * command failed as a whole or the write concern was not met, in which case the outcome of every statement is unknown.
 */
export function writeErrorsOf(error: unknown): Map<number, Error> | null {
  const { writeErrors, result } = error as BulkError;
  if (!Array.isArray(writeErrors) || writeErrors.length === 0) return null;
  if (result?.getWriteConcernError?.() !== undefined) return null;
  return failuresByIndex(writeErrors);
}

/**
 * Returns the failures of a command with several statements by index, from the server's response.
 * @throws if the write concern was not met
 */
export function commandErrors(reply: { writeErrors?: unknown; writeConcernError?: unknown }): Map<number, Error> {
  if (reply.writeConcernError !== undefined) throw new Error("the write concern was not met");
  return failuresByIndex(Array.isArray(reply.writeErrors) ? reply.writeErrors : []);
}

function failuresByIndex(failures: readonly { index: number; code: number; errmsg?: string }[]): Map<number, Error> {
  return new Map(
    failures.map(({ index, code, errmsg }) => [
      index,
      new mongo.MongoServerError({ code, errmsg: errmsg ?? "write failed" }),
    ]),
  );
}

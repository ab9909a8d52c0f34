import { mongo } from "mongoose";
import { createCoalescer } from "../process/coalescer.ts";
import { isDuplicateKey } from "./store-failure.ts";

/** Inserts documents that arrive at the same time by one command, each with its own outcome. */
export type GroupCommit<T> = {
  /** Resolves when the write concern holds for the document; rejects with its own error, a duplicate key with code 11000. */
  insert(document: T): Promise<void>;
};

type GroupCommitOptions = {
  /** Maximum number of documents in one command. Default 500. */
  readonly documentsMax?: number;
  /** Maximum number of commands in flight; further documents wait for the next one. Default 4. */
  readonly commandsMax?: number;
};

/**
 * Group commit: the inserts of one event-loop tick become one unordered insertMany, with one round trip, one journal flush and one write concern.
 * Unordered, so a duplicate fails alone. It adds no delay: a single insert is sent at the end of its tick.
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
 * Inserts documents by one command, each with its own outcome.
 * @returns the failures by index; a duplicate has code 11000
 * @throws if the outcome of all documents is unknown: the command failed as a whole, or its write concern was not met
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
    // The server reports only that one of them is a duplicate, so each document is checked.
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
 * The failures of a bulk write by index, each a driver error with the server's code. Null if the command failed as a
 * whole or the write concern was not met, so that the outcome of every statement is unknown.
 */
export function writeErrorsOf(error: unknown): Map<number, Error> | null {
  const { writeErrors, result } = error as BulkError;
  if (!Array.isArray(writeErrors) || writeErrors.length === 0) return null;
  if (result?.getWriteConcernError?.() !== undefined) return null;
  return failuresByIndex(writeErrors);
}

/**
 * The same for the server's response to a command of several statements.
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

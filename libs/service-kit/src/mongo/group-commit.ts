import { createCoalescer } from "./coalesce.ts";

/** Why one document of a group was not inserted; the same fields a single insert fails with, so `isDuplicateKey` reads it. */
export class GroupedInsertError extends Error {
  readonly code: number;
  readonly keyPattern: Readonly<Record<string, number>>;

  constructor(code: number, message: string) {
    super(message);
    this.name = "GroupedInsertError";
    this.code = code;
    this.keyPattern = keyPatternOf(message);
  }
}

/** Inserts documents that arrive at the same time by one command, each with its own outcome. */
export type GroupCommit<T> = {
  /** Resolves when the write concern holds for the document; rejects with its own error, a duplicate key with code 11000. */
  insert(document: T): Promise<void>;
};

/** What is inserted into: a mongoose model, or anything with a collection of the driver. */
type Inserted = {
  readonly collection: { insertMany(documents: never, options: { ordered: boolean }): Promise<unknown> };
};

type GroupCommitOptions = {
  /** Most documents of one command. Default 500. */
  readonly documentsMax?: number;
  /** Commands under way at once; while that many are, arrivals gather. Default 4. */
  readonly commandsMax?: number;
};

/**
 * Coalesces the inserts of one turn of the event loop into one unordered insertMany: one round trip, one journal flush and one write
 * concern for all of them. Unordered, so a duplicate fails alone. Adds no wait of its own: a lone insert leaves at the end of its turn.
 *
 * Unique indexes of the collection must keep their default names (`a_1_b_-1`): the driver's bulk errors carry only the name.
 */
export function createGroupCommit<T extends object>(model: Inserted, options: GroupCommitOptions = {}): GroupCommit<T> {
  const insertGroup = async (documents: readonly T[]): Promise<ReadonlyMap<number, GroupedInsertError>> => {
    try {
      await model.collection.insertMany(documents as never, { ordered: false });
      return new Map();
    } catch (error) {
      const failures = writeErrorsOf(error);
      if (failures === null) throw error;
      return failures;
    }
  };
  const insert = createCoalescer(insertGroup, {
    itemsMax: options.documentsMax ?? 500,
    callsMax: options.commandsMax ?? 4,
  });
  return { insert };
}

type BulkError = {
  readonly writeErrors?: readonly { index: number; code: number; errmsg?: string }[] | object;
  readonly result?: { getWriteConcernError?: () => unknown };
};

/**
 * The outcome of each document of a bulk insert by its index, or null when the command failed as a whole: then, and when the write
 * concern was not met, nothing is known of any document.
 */
export function writeErrorsOf(error: unknown): Map<number, GroupedInsertError> | null {
  const { writeErrors, result } = error as BulkError;
  if (!Array.isArray(writeErrors) || writeErrors.length === 0) return null;
  if (result?.getWriteConcernError?.() !== undefined) return null;
  return new Map(
    writeErrors.map((failure: { index: number; code: number; errmsg?: string }) => [
      failure.index,
      new GroupedInsertError(failure.code, failure.errmsg ?? "insert failed"),
    ]),
  );
}

/** Reads `… index: a_1_b_-1 dup key: …` back into {a: 1, b: -1}. The first match: what follows it holds callers' values. */
function keyPatternOf(message: string): Record<string, number> {
  const name = / index: (\S+) dup key/.exec(message)?.[1] ?? "";
  const pattern: Record<string, number> = {};
  for (const [, field, direction] of name.matchAll(/(.+?)_(-?1)(?:_|$)/g)) {
    if (field !== undefined) pattern[field] = Number(direction);
  }
  return pattern;
}

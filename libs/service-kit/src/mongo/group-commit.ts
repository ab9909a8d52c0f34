import type { Model } from "mongoose";

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

type GroupCommitOptions = {
  /** Most documents of one command. Default 500. */
  readonly documentsMax?: number;
  /** Commands under way at once; while that many are, arrivals gather. Default 4. */
  readonly commandsMax?: number;
};

type Waiting<T> = { readonly document: T; resolve(): void; reject(error: unknown): void };

/**
 * Coalesces the inserts of one turn of the event loop into one unordered insertMany: one round trip, one journal flush and one write
 * concern for all of them. Unordered, so a duplicate fails alone. Adds no wait of its own: a lone insert leaves at the end of its turn.
 *
 * Unique indexes of the collection must keep their default names (`a_1_b_-1`): the driver's bulk errors carry only the name.
 */
export function createGroupCommit<T extends object>(model: Model<T>, options: GroupCommitOptions = {}): GroupCommit<T> {
  const documentsMax = options.documentsMax ?? 500;
  const commandsMax = options.commandsMax ?? 4;
  let waiting: Waiting<T>[] = [];
  let isScheduled = false;
  let commands = 0;

  const flush = (): void => {
    isScheduled = false;
    while (waiting.length > 0 && commands < commandsMax) {
      const group = waiting.slice(0, documentsMax);
      waiting = waiting.slice(documentsMax);
      commands += 1;
      void insertGroup(model, group).finally(() => {
        commands -= 1;
        flush();
      });
    }
  };
  return {
    insert: (document) =>
      new Promise((resolve, reject) => {
        waiting.push({ document, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(flush);
      }),
  };
}

async function insertGroup<T extends object>(model: Model<T>, group: readonly Waiting<T>[]): Promise<void> {
  try {
    await model.collection.insertMany(group.map(({ document }) => document) as never, { ordered: false });
    for (const { resolve } of group) resolve();
  } catch (error) {
    const failures = writeErrorsOf(error);
    if (failures === null) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const failure = failures.get(index);
      if (failure === undefined) resolve();
      else reject(failure);
    }
  }
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

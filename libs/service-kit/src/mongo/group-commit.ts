import { createCoalescer } from "./coalesce.ts";
import { type Inserted, insertEach } from "./insert-each.ts";

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

/**
 * Coalesces the inserts of one turn of the event loop into one unordered insertMany: one round trip, one journal flush and one write
 * concern for all of them. Unordered, so a duplicate fails alone. Adds no wait of its own: a lone insert leaves at the end of its turn.
 */
export function createGroupCommit<T extends object>(model: Inserted, options: GroupCommitOptions = {}): GroupCommit<T> {
  const insert = createCoalescer<T>((documents) => insertEach(model, documents), {
    itemsMax: options.documentsMax ?? 500,
    callsMax: options.commandsMax ?? 4,
  });
  return { insert };
}

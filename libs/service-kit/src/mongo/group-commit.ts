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
  /** Commands in flight; beyond that, arrivals wait for the next. Default 4. */
  readonly commandsMax?: number;
};

/**
 * Group commit: the inserts of one event-loop tick become one unordered insertMany, with one round trip, one journal flush and one write concern.
 * Unordered, so a duplicate fails alone. It adds no delay: a single insert is sent at the end of its tick.
 */
export function createGroupCommit<T extends object>(model: Inserted, options: GroupCommitOptions = {}): GroupCommit<T> {
  const insert = createCoalescer<T>((documents) => insertEach(model, documents), {
    itemsMax: options.documentsMax ?? 500,
    callsMax: options.commandsMax ?? 4,
  });
  return { insert };
}

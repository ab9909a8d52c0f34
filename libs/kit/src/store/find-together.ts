import type { Model, mongo } from "mongoose";
import { createCoalescer } from "../process/coalescer.ts";
import { collectionOf } from "./collection-of.ts";

/** Maximum number of ids in one command. */
const idsMax = 500;
/** Maximum number of commands in flight. Under load, each includes all calls that arrived during an earlier one. */
const commandsMax = 2;

/**
 * Creates a function that finds a document by its id, or null. Concurrent calls share one command. The result is never
 * older than the call, because each call is part of a command that is sent after it.
 * @param projection of the driver, for example to leave out fields
 */
export function createFindTogether<D extends { readonly _id: string }>(
  model: Model<D>,
  projection: mongo.Document,
): (id: string) => Promise<D | null> {
  return createCoalescer<string, D | null>(
    async (ids) => {
      const distinct = [...new Set(ids)];
      const condition = { _id: { $in: distinct } } as mongo.Filter<D>;
      // One batch, because the first batch of a server contains only 101 documents by default.
      const cursor = collectionOf(model).find(condition, { projection, batchSize: distinct.length + 1 });
      const found = new Map(((await cursor.toArray()) as unknown as D[]).map((document) => [document._id, document]));
      return { results: ids.map((id) => found.get(id) ?? null) };
    },
    { itemsMax: idsMax, callsMax: commandsMax },
  );
}

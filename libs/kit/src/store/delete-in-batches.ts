import { collectionOf } from "./collection-of.ts";

const batchSize = 500;

/**
 * Deletes the documents that match a filter in batches, so that no single command takes long. @returns the number of
 * deleted documents, which is smaller if the signal aborts
 */
export async function deleteInBatches(
  model: { readonly collection: object },
  filter: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<number> {
  const collection = collectionOf(model);
  let deleted = 0;
  while (!signal.aborted) {
    const found = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(batchSize)
      .toArray();
    if (found.length === 0) break;
    const result = await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    deleted += result.deletedCount;
  }
  return deleted;
}

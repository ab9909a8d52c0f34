import type { Model } from "mongoose";

const batchSize = 500;

/** Deletes what fits a filter in batches, so that no command takes long. @returns how many; fewer when the signal aborts */
export async function deleteInBatches(
  { collection }: Pick<Model<unknown>, "collection">,
  filter: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const found = await collection
      .find(filter as never, { projection: { _id: 1 } })
      .limit(batchSize)
      .toArray();
    if (found.length === 0) break;
    const result = await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } } as never);
    deleted += result.deletedCount;
  }
  return deleted;
}

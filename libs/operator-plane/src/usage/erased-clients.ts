import { createHash } from "node:crypto";
import { collectionOf } from "@platform/kit/store/documents";

/**
 * Marks erased Project Clients in a collection of counts. Processes report their counts late, so a report may arrive
 * after the erasure. A count that is written for a marked client is removed again. A mark expires together with the
 * counts.
 * @param expiry field with the date on which the collection's documents expire
 */
export function createErasedClients(model: { readonly collection: object }, expiry: string) {
  const collection = collectionOf(model);
  const markOf = (clientId: string): string => `erased ${createHash("sha256").update(clientId).digest("hex")}`;
  const remove = async (clientIds: readonly string[]): Promise<number> =>
    (await collection.deleteMany({ project_client_id: { $in: [...clientIds] } })).deletedCount;
  return {
    /**
     * Marks a client as erased and then removes its counts, in this order: a concurrent report either finds the mark,
     * or has written its counts before they are removed. @returns the number of removed documents
     */
    forget: async (clientId: string): Promise<number> => {
      await collection.updateOne({ _id: markOf(clientId) }, { $set: { [expiry]: new Date() } }, { upsert: true });
      return remove([clientId]);
    },
    /** Removes counts that have just been written for erased clients. */
    removeErased: async (clientIds: ReadonlySet<string>): Promise<void> => {
      const clientOf = new Map([...clientIds].map((clientId) => [markOf(clientId), clientId]));
      const marks = await collection.find({ _id: { $in: [...clientOf.keys()] } }, { projection: { _id: 1 } }).toArray();
      const erased = marks.flatMap(({ _id }) => clientOf.get(String(_id)) ?? []);
      if (erased.length > 0) await remove(erased);
    },
  };
}

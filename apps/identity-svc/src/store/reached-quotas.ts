import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** Records that a Project Client has used up a quota. */
type ReachedQuotaDocument = {
  /** Consists of client and resource. */
  _id: string;
  project_client_id: string;
  resource: string;
  /** Time at which the exhausted quota was first found. */
  since: Date;
};

/** The clients that have used up their quota of a resource. */
export type ReachedQuota = {
  readonly resource: string;
  readonly clients: number;
  /** The clients that reached it first, at most `namedMax`. */
  readonly projectClientIds: readonly string[];
  readonly since: Date;
};

const namedMax = 10;

const schema = new Schema<ReachedQuotaDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    resource: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false, collection: "reached_quotas" },
);
schema.index({ resource: 1, since: 1, _id: 1 });
schema.index({ project_client_id: 1 });

const idOf = (clientId: string, resource: string): string => `${clientId} ${resource}`;

/**
 * The exhausted quotas of all clients. The worker's sweep maintains this list, so that nothing has to query every
 * client.
 */
export function createReachedQuotaStore(connection: Connection) {
  const model = connection.model<ReachedQuotaDocument>("ReachedQuota", schema);
  const collection = collectionOf(model);
  return {
    /**
     * Replaces the stored list by the result of a complete sweep. Entries that were already stored keep their time.
     * Two concurrent sweeps leave the result of one of them.
     * @param reached pairs of client and resource
     */
    replace: async (reached: readonly (readonly [clientId: string, resource: string])[], now: Date): Promise<void> => {
      const kept = await collection.find({}, { projection: { _id: 1 } }).toArray();
      const found = new Map(reached.map((pair) => [idOf(...pair), pair]));
      const gone = kept.map(({ _id }) => _id).filter((id) => !found.has(id));
      for (const { _id } of kept) found.delete(_id);
      if (gone.length > 0) await collection.deleteMany({ _id: { $in: gone } });
      if (found.size === 0) return;
      await collection.bulkWrite(
        [...found].map(([_id, [project_client_id, resource]]) => ({
          updateOne: {
            filter: { _id },
            update: { $setOnInsert: { project_client_id, resource, since: now } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
    /** The exhausted quotas, for some resources; resources that no client has exhausted are omitted. */
    list: async (resources: readonly string[]): Promise<ReachedQuota[]> => {
      const all = await Promise.all(
        resources.map(async (resource) => {
          const [clients, first] = await Promise.all([
            collection.countDocuments({ resource }),
            collection.find({ resource }).sort({ since: 1, _id: 1 }).limit(namedMax).toArray(),
          ]);
          const since = first[0]?.since;
          const projectClientIds = first.map(({ project_client_id }) => project_client_id);
          return since === undefined ? [] : [{ resource, clients, projectClientIds, since }];
        }),
      );
      return all.flat();
    },
  };
}

import { collectionOf } from "@platform/kit/store/documents";
import { clientCondition, type RetentionSweep } from "@platform/operator-plane/retention";
import type { FileObjectModel } from "./file-object-model.ts";

/** How long records of rejected files are kept, in days, unless a client's setting overrides it. Their bytes are deleted immediately. */
export const retentionDefaults = { rejected_files: 90 } as const;

/** Creates the sweep that removes rejected File Objects, unless a compensation is pending. */
export function createFileSweeps(model: FileObjectModel): RetentionSweep[] {
  const collection = collectionOf(model);
  return [
    {
      kind: "rejected_files",
      removeBatch: async (scope, before, limit) => {
        const isOver = { state: "rejected", classified_at: { $lt: before }, "owed.0": { $exists: false } } as const;
        const found = await collection
          .find({ ...isOver, ...clientCondition(scope) })
          .sort({ classified_at: 1 })
          .limit(limit)
          .project<{ _id: never }>({ _id: 1 })
          .toArray();
        await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...isOver });
        return found.length;
      },
    },
  ];
}

import { collectionOf } from "@platform/kit/store/documents";
import { clientCondition, type RetentionSweep } from "@platform/operator-plane/retention";
import type { Connection } from "mongoose";
import { deliveryModel } from "./delivery-model.ts";

/** How long deliveries are kept, in days, unless a client's setting overrides it. */
export const retentionDefaults = { delivery_contents: 30, deliveries: 180 } as const;

/** The sweeps of deliveries: first the contents, later the whole records. */
export function createDeliverySweeps(connection: Connection): RetentionSweep[] {
  const collection = collectionOf(deliveryModel(connection));
  /**
   * The time up to which contents were erased, for each scope. Earlier deliveries are still in the index, and are not
   * checked again.
   */
  const erasedUntil = new Map<string, Date>();
  const idsOf = async (filter: object, sort: Record<string, 1>, limit: number) =>
    (await collection
      .find(filter)
      .sort(sort)
      .limit(limit)
      .project<{ _id: never; finished_at: Date }>({ finished_at: 1 })
      .toArray()) as { _id: never; finished_at: Date }[];
  return [
    {
      kind: "delivery_contents",
      removeBatch: async (scope, before, limit) => {
        const name = JSON.stringify(scope);
        const from = erasedUntil.get(name) ?? new Date(0);
        // Only failed deliveries are searched, because the contents of sent ones are never kept.
        const filter = { status: "failed", finished_at: { $gte: from, $lt: before }, content: { $ne: null } };
        const found = await idsOf({ ...filter, ...clientCondition(scope) }, { finished_at: 1 }, limit);
        await collection.updateMany(
          { _id: { $in: found.map(({ _id }) => _id) }, status: "failed" },
          { $set: { content: null } },
        );
        const last = found.at(-1);
        if (last !== undefined) erasedUntil.set(name, last.finished_at);
        return found.length;
      },
    },
    {
      kind: "deliveries",
      removeBatch: async (scope, before, limit) => {
        const filter = { finished_at: { $gt: new Date(0), $lt: before }, ...clientCondition(scope) };
        const found = await idsOf(filter, { finished_at: 1 }, limit);
        // The condition excludes a delivery that was retried in the meantime, because it is no longer finished.
        await collection.deleteMany({
          _id: { $in: found.map(({ _id }) => _id) },
          finished_at: { $gt: new Date(0), $lt: before },
        });
        return found.length;
      },
    },
  ];
}

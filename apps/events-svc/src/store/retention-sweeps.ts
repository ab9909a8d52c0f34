import { collectionOf } from "@platform/kit/store/documents";
import { clientCondition, type RetentionSweep } from "@platform/operator-plane/retention";
import type { EventsModels } from "./models.ts";
import { pruneExported, type ReleaseUnits } from "./prune-project-audits.ts";
import { createEventSweep, type IsOwn, type OnHeld } from "./remove-old-events.ts";

const overStates = ["failed", "skipped", "succeeded"] as const;

/**
 * Creates the sweeps that remove finished runs, events that everybody has read, and audits that were exported.
 * @param isOwn returns whether this worker removes a client's events
 */
export function createRetentionSweeps(
  models: EventsModels,
  release: ReleaseUnits,
  onHeld: OnHeld = () => {},
  isOwn: IsOwn = () => true,
): RetentionSweep[] {
  const collection = collectionOf(models.schedule.runs);
  return [
    {
      kind: "scheduled_runs",
      removeBatch: async (scope, before, limit) => {
        const isOver = { scheduled_for: { $lt: before }, state: { $in: [...overStates] } };
        const found = await collection
          .find({ ...isOver, ...clientCondition(scope) })
          .sort({ scheduled_for: 1 })
          .limit(limit)
          .project<{ _id: never }>({ _id: 1 })
          .toArray();
        // The condition excludes a run that was redriven in the meantime, because it is no longer finished.
        await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...isOver });
        return found.length;
      },
    },
    { kind: "domain_events", removeBatch: createEventSweep(models, onHeld, isOwn) },
    {
      kind: "audits",
      removeBatch: async ({ clientId }, before, limit) => {
        if (clientId === null) return 0;
        // Batches start at fixed records, so a batch may be short even if more records can be pruned.
        for (let pruned = 0; ; ) {
          const batch = await pruneExported(models.audit, clientId, before, release);
          pruned += batch.pruned;
          if (batch.isDone || pruned >= limit) return pruned;
        }
      },
    },
  ];
}

import { defined } from "@platform/kit/process/fields";
import { derivedId } from "@platform/kit/process/secrets";
import { absent, collectionOf, isDuplicateKey } from "@platform/kit/store/documents";
import type { DomainEventDocument } from "./domain-event-model.ts";
import type { EventRunFields, ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import type { SubscriptionDocument } from "./subscription-model.ts";
import { endRunsOfDeleted, type SubscriptionModels } from "./subscriptions.ts";

/**
 * The fields of an event that decide whether a subscription matches it, and the correlation id of the request that
 * published it.
 */
export type EventHeader = Required<Pick<DomainEventDocument, "_id" | "position" | "type">> &
  Pick<DomainEventDocument, "stream_id" | "correlation_id">;

/** Result of recording runs for a subscription's next events. */
export type Recorded = {
  /** Number of new runs. */
  readonly count: number;
  /** Lanes that contain a waiting run whose predecessor may have ended before the waiting run was recorded. */
  readonly lanes: readonly string[];
  /** The current state of the subscription. */
  readonly subscription: SubscriptionDocument;
  /** True if nothing was recorded because the subscription has as many unfinished runs as it may have. */
  readonly isFull?: boolean;
};

export const headerFields = { position: 1, type: 1, stream_id: 1, correlation_id: 1 } as const;

/** The lane of an event in an ordered subscription; null if it is not ordered. */
export function laneOf(
  { order }: Pick<SubscriptionDocument, "order">,
  { stream_id }: EventHeader,
  replay: number,
): string | null {
  return order === "stream" && stream_id !== undefined ? `${replay}:${stream_id}` : null;
}

/**
 * Creates the run that delivers an event to a subscription. Its id is derived from both, so that it is recorded only
 * once.
 * @param isNext true if no earlier run of its lane is unfinished, so that it does not have to wait
 */
export function newEventRun(
  subscription: SubscriptionDocument,
  header: EventHeader,
  { replay, now, isNext }: { replay: number; now: Date; isNext: boolean },
): ScheduledRunDocument {
  const lane = laneOf(subscription, header, replay);
  return {
    _id: derivedId(subscription._id, `${replay}:${header.position}`),
    project_client_id: subscription.project_client_id,
    operation_id: subscription.operation_id,
    scheduled_for: now,
    attempts: [],
    attempt_count: 0,
    tries_made: 0,
    tries_left: subscription.max_attempts,
    ...({
      subscription_id: subscription._id,
      event_id: header._id,
      position: header.position,
      replay,
      unsettled: true,
    } satisfies EventRunFields),
    ...defined({ correlation_id: header.correlation_id, lane }),
    ...(lane === null || isNext ? { state: "pending", claimable_at: now } : { state: "waiting" }),
  };
}

/**
 * Inserts runs in order: if one of them is stored, all earlier ones are stored as well. Runs that exist already do
 * not change.
 */
export async function insertInOrder(
  { runs }: ScheduleModels,
  documents: readonly ScheduledRunDocument[],
): Promise<void> {
  let left = documents;
  while (left.length > 0) {
    try {
      await collectionOf(runs).insertMany(left, { ordered: true });
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const ids = left.map(({ _id }) => _id);
      const found = await collectionOf(runs)
        .find({ _id: { $in: ids } }, { projection: { _id: 1 }, batchSize: ids.length + 1 })
        .toArray();
      const known = new Set(found.map(({ _id }) => String(_id)));
      left = left.filter(({ _id }) => !known.has(_id));
    }
  }
}

/**
 * Writes the progress of a subscription, unless another worker has written it in the meantime.
 * @param change the fields that change; if a path leads into `replays`, its condition is required
 * @returns the new revision; null if another worker wrote first
 */
export async function writeProgress(
  { subscriptions, schedule }: Pick<SubscriptionModels, "subscriptions" | "schedule">,
  { _id, revision = 0 }: SubscriptionDocument,
  change: Readonly<Record<string, unknown>>,
  condition: Readonly<Record<string, unknown>> = {},
): Promise<number | null> {
  // A subscription that was never written has no revision.
  const filter = { _id, revision: revision === 0 ? absent : revision, ...condition };
  const update = { $set: { ...change, revision: revision + 1 } };
  const { matchedCount } = await collectionOf(subscriptions).updateOne(filter, update);
  if (matchedCount === 1) return revision + 1;
  // The subscription was deleted concurrently, so its new runs are removed.
  if ((await subscriptions.exists({ _id })) === null) await endRunsOfDeleted(schedule, _id);
  return null;
}

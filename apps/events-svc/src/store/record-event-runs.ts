import { isDuplicateKey } from "@platform/service-kit/mongo/store-failure";
import { derivedId } from "@platform/service-kit/secrets/id";
import { matchesType } from "../domain/type-pattern.ts";
import type { DomainEventDocument, EventLogHeadDocument, EventModels } from "./domain-event-model.ts";
import type { EventRunFields, ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import type { ReplayDocument, SubscriptionDocument, SubscriptionModel } from "./subscription-model.ts";
import { endRunsOfDeleted, type SubscriptionModels } from "./subscriptions.ts";

/** Positions read in one step. */
const positionsMax = 500;
/** Unfinished runs of one subscription. Further events wait in the log. */
export const unsettledMax = 1_000;

type EventHeader = Required<Pick<DomainEventDocument, "_id" | "position" | "type">> &
  Pick<DomainEventDocument, "stream_id">;

/** Every active subscription. */
export async function findActiveSubscriptions(subscriptions: SubscriptionModel): Promise<SubscriptionDocument[]> {
  return subscriptions.find({ status: "active" }).sort({ _id: 1 }).batchSize(1_000).lean<SubscriptionDocument[]>();
}

/** The last positions of some clients' logs. */
export async function lastPositions(
  { heads }: EventModels,
  clientIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await heads.collection
    .find({ _id: { $in: clientIds } } as never, { projection: { position: 1 }, batchSize: clientIds.length + 1 })
    .toArray();
  return new Map((found as unknown as EventLogHeadDocument[]).map(({ _id, position }) => [_id, position]));
}

/**
 * Records runs for a subscription's next events, new ones or those of a replay: first the runs, in order and under derived ids, then the position.
 * After a crash in between, the next worker repeats the inserts without effect.
 * @returns the number of runs and the new position; null when another worker was first
 */
export async function recordEventRuns(
  models: SubscriptionModels,
  subscription: SubscriptionDocument,
  replay: ReplayDocument | null,
  lease: { owner: string; now: Date; until: Date },
): Promise<{ recorded: number; recordedTo: number } | null> {
  const { runs } = models.schedule;
  const from = replay?.recorded_to ?? subscription.recorded_to;
  const unsettled = await runs.countDocuments({ subscription_id: subscription._id, unsettled: true });
  const room = unsettledMax - unsettled;
  if (room <= 0) return { recorded: 0, recordedTo: from };
  const headers = await eventHeaders(models.event, subscription.project_client_id, from, replay?.to);
  const documents: ScheduledRunDocument[] = [];
  let recordedTo = from;
  for (const header of headers) {
    const isWanted = matchesType(subscription.types, header.type);
    if (isWanted && documents.length === room) break;
    recordedTo = header.position;
    if (isWanted) documents.push(newEventRun(subscription, header, replay?.number ?? 0, lease.now));
  }
  if (recordedTo === from) {
    // A range whose last events were removed is at its end.
    if (replay !== null && headers.length === 0) await endReplay(models.subscriptions, subscription._id, replay);
    return { recorded: 0, recordedTo: from };
  }
  await insertInOrder(models.schedule, documents);
  if (!(await moveOn(models, subscription, replay, recordedTo, lease))) return null;
  return { recorded: documents.length, recordedTo };
}

/** Reads after a position. Ends at a position that is not written yet; skips positions of removed events. */
async function eventHeaders(
  models: EventModels,
  clientId: string,
  after: number,
  to: number | undefined,
): Promise<EventHeader[]> {
  const found = (await models.events.collection
    .find(
      {
        project_client_id: clientId,
        position: { $gt: after, ...(to === undefined ? {} : { $lte: to }) },
      } as never,
      {
        projection: { position: 1, type: 1, stream_id: 1 },
        sort: { position: 1 },
        limit: positionsMax,
        batchSize: positionsMax + 1,
      },
    )
    .toArray()) as unknown as EventHeader[];
  const isGap = ({ position }: EventHeader, index: number): boolean =>
    position !== (found[index - 1]?.position ?? after) + 1;
  if (!found.some(isGap)) return found;
  const head = await models.heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  const writtenTo = head === null ? 0 : head.position - head.batch.length;
  const end = found.findIndex((header, index) => isGap(header, index) && header.position - 1 > writtenTo);
  return end === -1 ? found : found.slice(0, end);
}

function newEventRun(
  subscription: SubscriptionDocument,
  header: EventHeader,
  replay: number,
  now: Date,
): ScheduledRunDocument {
  const lane =
    subscription.order === "stream" && header.stream_id !== undefined ? `${replay}:${header.stream_id}` : null;
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
    ...(lane === null ? { state: "pending", claimable_at: now } : { state: "waiting", lane }),
  };
}

/** Inserts runs in order: when one is stored, all earlier ones are. Existing ones stay as they are. */
async function insertInOrder({ runs }: ScheduleModels, documents: readonly ScheduledRunDocument[]): Promise<void> {
  let left = documents;
  while (left.length > 0) {
    try {
      await runs.collection.insertMany(left as never, { ordered: true });
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const ids = left.map(({ _id }) => _id);
      const found = await runs.collection
        .find({ _id: { $in: ids } } as never, { projection: { _id: 1 }, batchSize: ids.length + 1 })
        .toArray();
      const known = new Set(found.map(({ _id }) => String(_id)));
      left = left.filter(({ _id }) => !known.has(_id));
    }
  }
}

async function moveOn(
  models: SubscriptionModels,
  { _id, recorded_to }: SubscriptionDocument,
  replay: ReplayDocument | null,
  recordedTo: number,
  { owner, until }: { owner: string; until: Date },
): Promise<boolean> {
  const { subscriptions, schedule } = models;
  const [filter, update] =
    replay === null
      ? [{ _id, recorded_to }, { $set: { recorded_to: recordedTo, owner, leased_until: until } }]
      : [
          { _id, replays: { $elemMatch: { number: replay.number, recorded_to: replay.recorded_to } } },
          { $set: { "replays.$.recorded_to": recordedTo } },
        ];
  const { matchedCount } = await subscriptions.collection.updateOne(filter as never, update);
  if (matchedCount === 1) {
    if (replay !== null && recordedTo >= replay.to) await endReplay(subscriptions, _id, replay);
    return true;
  }
  // Deleted concurrently, so the new runs are removed.
  if ((await subscriptions.exists({ _id })) === null) await endRunsOfDeleted(schedule, _id);
  return false;
}

async function endReplay(subscriptions: SubscriptionModel, id: string, { number }: ReplayDocument): Promise<void> {
  await subscriptions.collection.updateOne({ _id: id } as never, { $pull: { replays: { number } } } as never);
}

import { matchesType } from "../domain/type-pattern.ts";
import type { EventLogHeadDocument, EventModels } from "./domain-event-model.ts";
import {
  type EventHeader,
  headerFields,
  insertInOrder,
  laneOf,
  lanesOf,
  newEventRun,
  type Recorded,
  writeProgress,
} from "./event-runs.ts";
import { createLaneHolder } from "./held-lanes.ts";
import type { ScheduledRunDocument } from "./scheduled-operation-model.ts";
import type { ReplayDocument, SubscriptionDocument, SubscriptionModel } from "./subscription-model.ts";
import type { SubscriptionModels } from "./subscriptions.ts";

/** Positions read in one step. */
const positionsMax = 500;
/** Unfinished runs of one subscription, without those of held lanes. Further events wait in the log. */
const unsettledMax = 1_000;

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
 * Records runs for a subscription's next events, new ones or those of a replay: first the runs, in order and under derived ids, then the
 * position. After a crash in between, the next worker repeats the inserts without effect. A lane with many unfinished runs is held: its events
 * are skipped here, and `recordHeldLanes` records them.
 * @returns null when another worker was first
 */
export async function recordEventRuns(
  models: SubscriptionModels,
  subscription: SubscriptionDocument,
  replay: ReplayDocument | null,
  lease: { owner: string; now: Date; until: Date },
): Promise<Recorded | null> {
  const { runs } = models.schedule;
  const from = replay?.recorded_to ?? subscription.recorded_to;
  const nothing = { count: 0, lanes: [], subscription };
  const held = (subscription.held ?? []).map(({ lane }) => lane);
  const open = await runs.countDocuments({
    subscription_id: subscription._id,
    unsettled: true,
    ...(held.length === 0 ? {} : { lane: { $nin: held } }),
  });
  const free = unsettledMax - open;
  if (free <= 0) return nothing;
  const headers = await eventHeaders(models.event, subscription.project_client_id, from, replay?.to);
  const wanted = new Set(headers.filter(({ type }) => matchesType(subscription.types, type)));
  const holder = await createLaneHolder(models.schedule, subscription, replay, { open, from, wanted: [...wanted] });
  const documents: ScheduledRunDocument[] = [];
  let recordedTo = from;
  for (const header of headers) {
    if (wanted.has(header)) {
      const lane = laneOf(subscription, header, replay?.number ?? 0);
      if (lane === null || !holder.holds(lane, header)) {
        if (documents.length === free) break;
        documents.push(newEventRun(subscription, header, replay?.number ?? 0, lease.now));
      }
    }
    recordedTo = header.position;
  }
  if (recordedTo === from) {
    // A range whose last events were removed is at its end.
    if (replay !== null && headers.length === 0) await endReplay(models.subscriptions, subscription._id, replay);
    return nothing;
  }
  await insertInOrder(models.schedule, documents);
  const written = await moveOn(models, subscription, replay, { recordedTo, held: holder.held() }, lease);
  return written === null ? null : { count: documents.length, lanes: lanesOf(documents), subscription: written };
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
      { projection: headerFields, sort: { position: 1 }, limit: positionsMax, batchSize: positionsMax + 1 },
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

async function moveOn(
  models: SubscriptionModels,
  subscription: SubscriptionDocument,
  replay: ReplayDocument | null,
  { recordedTo, held }: { recordedTo: number; held: SubscriptionDocument["held"] },
  { owner, until }: { owner: string; until: Date },
): Promise<SubscriptionDocument | null> {
  const ofHeld = held === undefined ? {} : { held };
  if (replay === null) {
    const change = { recorded_to: recordedTo, owner, leased_until: until, ...ofHeld };
    const revision = await writeProgress(models, subscription, change);
    return revision === null ? null : { ...subscription, ...change, revision };
  }
  const revision = await writeProgress(
    models,
    subscription,
    { "replays.$.recorded_to": recordedTo, ...ofHeld },
    { replays: { $elemMatch: { number: replay.number, recorded_to: replay.recorded_to } } },
  );
  if (revision === null) return null;
  const isOver = recordedTo >= replay.to;
  if (isOver) await endReplay(models.subscriptions, subscription._id, replay);
  const replays = subscription.replays.flatMap((one) => {
    if (one.number !== replay.number) return one;
    return isOver ? [] : { ...one, recorded_to: recordedTo };
  });
  return { ...subscription, ...ofHeld, replays, revision };
}

async function endReplay(subscriptions: SubscriptionModel, id: string, { number }: ReplayDocument): Promise<void> {
  await subscriptions.collection.updateOne({ _id: id } as never, { $pull: { replays: { number } } } as never);
}

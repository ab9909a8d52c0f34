import { defined } from "@platform/kit/process/fields";
import { collectionOf } from "@platform/kit/store/documents";
import type { EventLogHeadDocument, EventModels } from "./domain-event-model.ts";
import {
  type EventHeader,
  headerFields,
  insertInOrder,
  laneOf,
  newEventRun,
  type Recorded,
  writeProgress,
} from "./event-runs.ts";
import { selectWanted } from "./filtered-events.ts";
import { planLanes } from "./held-lanes.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import type { ReplayDocument, SubscriptionDocument, SubscriptionModel } from "./subscription-model.ts";
import type { SubscriptionModels } from "./subscriptions.ts";

/** Number of positions that one step reads. */
const positionsMax = 500;
/**
 * Maximum number of unfinished runs of one subscription, not counting those of held lanes. Further events wait in the
 * log.
 */
export const unsettledMax = 1_000;

/** Finds all active subscriptions. */
export async function findActiveSubscriptions(subscriptions: SubscriptionModel): Promise<SubscriptionDocument[]> {
  return subscriptions.find({ status: "active" }).sort({ _id: 1 }).batchSize(1_000).lean<SubscriptionDocument[]>();
}

/**
 * Records runs for a subscription's next events, either new ones or those of a replay. The runs are inserted first,
 * in order and with derived ids, and then the position advances. After a crash in between, the next worker repeats
 * the inserts without effect. A lane with many unfinished runs is held: its events are skipped here, and
 * `recordHeldLanes` records them.
 * @param wasFull true if the last step found the subscription full, so that this is checked before the log is read
 * @returns null if another worker wrote first
 */
export async function recordEventRuns(
  models: SubscriptionModels,
  subscription: SubscriptionDocument,
  replay: ReplayDocument | null,
  {
    readLog,
    isPatient,
    wasFull,
    ...lease
  }: { readLog: LogReader; isPatient: boolean; wasFull: boolean; owner: string; now: Date; until: Date },
): Promise<Recorded | null> {
  const { project_client_id: clientId } = subscription;
  const from = replay?.recorded_to ?? subscription.recorded_to;
  const nothing: Recorded = { count: 0, lanes: [], subscription };
  const full: Recorded = { ...nothing, isFull: true };
  const isFull = async () => (await countOpen(models.schedule, subscription)) >= unsettledMax;
  if (wasFull && (await isFull())) return full;
  const read = await readLog(clientId, from, replay?.to);
  // A subscription that cannot have further runs stops here. Otherwise its filter would read the content of the same
  // events again at each step.
  if (subscription.filter !== undefined && !wasFull && (await isFull())) return full;
  const { examined: headers, wanted, isContentRead } = await selectWanted(models.event, subscription, read);
  if (isPatient && wanted.size === 0 && !isContentRead && read.length < positionsMax) return nothing;
  const room = wanted.size === 0 ? 0 : unsettledMax - (await countOpen(models.schedule, subscription));
  if (wanted.size > 0 && room <= 0) return full;
  const plan = await planLanes(models.schedule, subscription, replay, { from, wanted });
  const documents: ScheduledRunDocument[] = [];
  const begun = new Set<string>();
  let recordedTo = from;
  for (const header of headers) {
    if (wanted.has(header)) {
      const lane = laneOf(subscription, header, replay?.number ?? 0);
      if (lane === null || !plan.holds(lane, header)) {
        if (documents.length === room) break;
        const isNext = lane !== null && plan.isEmpty(lane) && !begun.has(lane);
        if (lane !== null) begun.add(lane);
        documents.push(newEventRun(subscription, header, { replay: replay?.number ?? 0, now: lease.now, isNext }));
      }
    }
    recordedTo = header.position;
  }
  if (recordedTo === from) {
    // If the last events of the replay's range were removed, the replay has reached its end.
    if (replay !== null && headers.length === 0) await endReplay(models.subscriptions, subscription._id, replay);
    return nothing;
  }
  await insertInOrder(models.schedule, documents);
  const written = await moveOn(models, subscription, replay, { recordedTo, held: plan.held() }, lease);
  if (written === null) return null;
  const lanes = [...begun].filter((lane) => !plan.isEmpty(lane));
  return { count: documents.length, lanes, subscription: written };
}

/** Counts the unfinished runs of a subscription, except those of held lanes. */
function countOpen({ runs }: ScheduleModels, { _id, held = [] }: SubscriptionDocument): Promise<number> {
  const lanes = held.map(({ lane }) => lane);
  return runs.countDocuments({
    subscription_id: _id,
    unsettled: true,
    ...(lanes.length === 0 ? {} : { lane: { $nin: lanes } }),
  });
}

/** Reads the events of a client's log after a position, up to another position if it is given. */
export type LogReader = (clientId: string, after: number, to?: number) => Promise<readonly EventHeader[]>;

/** Creates a reader for one round, in which subscriptions of one client at similar positions share one read. */
export function createLogReader(models: EventModels): LogReader {
  type Slice = { readonly after: number; readonly headers: Promise<readonly EventHeader[]> };
  const slices = new Map<string, Slice[]>();
  return async (clientId, after, to) => {
    if (to !== undefined) return eventHeaders(models, clientId, after, to);
    const known = slices.get(clientId) ?? [];
    slices.set(clientId, known);
    for (const slice of known) {
      if (slice.after > after) continue;
      const headers = await slice.headers;
      const isWhole = headers.length < positionsMax;
      if (isWhole || after < (headers.at(-1)?.position ?? 0)) return headers.filter(({ position }) => position > after);
    }
    const headers = eventHeaders(models, clientId, after, undefined);
    known.push({ after, headers });
    return headers;
  };
}

/**
 * Reads the headers of events after a position. Stops at a position that is not written yet; positions of removed
 * events are skipped.
 */
async function eventHeaders(
  models: EventModels,
  clientId: string,
  after: number,
  to: number | undefined,
): Promise<EventHeader[]> {
  const found = (await collectionOf(models.events)
    .find(
      {
        project_client_id: clientId,
        position: { $gt: after, ...defined({ $lte: to }) },
      },
      { projection: headerFields, sort: { position: 1 }, limit: positionsMax, batchSize: positionsMax + 1 },
    )
    .toArray()) as EventHeader[];
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
  const ofHeld = defined({ held });
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
  await collectionOf(subscriptions).updateOne({ _id: id }, { $pull: { replays: { number } } });
}

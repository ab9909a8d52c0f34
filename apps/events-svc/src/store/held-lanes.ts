import { defined } from "@platform/kit/process/fields";
import { collectionOf } from "@platform/kit/store/documents";
import type { EventModels } from "./domain-event-model.ts";
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
import { openRunsByLane } from "./lanes.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import type { HeldLane, ReplayDocument, SubscriptionDocument } from "./subscription-model.ts";
import type { SubscriptionModels } from "./subscriptions.ts";

/** Maximum number of unfinished runs of a lane. A lane that would have more is held. */
const openMax = 20;
/** Maximum number of held lanes of a subscription. Further lanes share the limit of the subscription. */
const heldMax = 100;
/** Number of positions of the log that a held lane reads in one step. */
const positionsMax = 2_000;

/** Decides which events one step skips because their lane is held. */
export type LanePlan = {
  /**
   * Returns true if the lane is held, or is held from this event on, so that its event is skipped. Otherwise counts
   * the event.
   */
  holds(lane: string, header: EventHeader): boolean;
  /** Returns whether the lane had no unfinished run before this step. */
  isEmpty(lane: string): boolean;
  held(): SubscriptionDocument["held"];
};

/** Reads the unfinished runs of the lanes to which some events belong. */
export async function planLanes(
  models: ScheduleModels,
  subscription: SubscriptionDocument,
  replay: ReplayDocument | null,
  { from, wanted }: { from: number; wanted: Iterable<EventHeader> },
): Promise<LanePlan> {
  const held = new Map((subscription.held ?? []).map((lane) => [lane.lane, lane]));
  const before = held.size;
  const number = replay?.number ?? 0;
  const lanes = new Set([...wanted].flatMap((header) => laneOf(subscription, header, number) ?? []));
  const free = [...lanes].filter((lane) => !held.has(lane));
  const open = await openRunsByLane(models, subscription._id, free);
  const added = new Map<string, number>();
  const lastOf = new Map<string, number>();
  return {
    holds: (lane, { position, stream_id = "" }) => {
      if (held.has(lane)) return true;
      const count = added.get(lane) ?? 0;
      if ((open.get(lane) ?? 0) + count >= openMax && held.size < heldMax) {
        const to = defined({ to: replay?.to });
        held.set(lane, { lane, replay: number, stream_id, recorded_to: lastOf.get(lane) ?? from, ...to });
        return true;
      }
      added.set(lane, count + 1);
      lastOf.set(lane, position);
      return false;
    },
    isEmpty: (lane) => !open.has(lane),
    held: () => (held.size === before ? subscription.held : [...held.values()]),
  };
}

/**
 * Records runs for the next events of some held lanes that have free capacity. A lane that has reached the position
 * of the others is no longer held.
 * @returns null if another worker wrote first
 */
export async function recordHeldLanes(
  models: SubscriptionModels,
  subscription: SubscriptionDocument,
  lanes: readonly HeldLane[],
  now: Date,
): Promise<Recorded | null> {
  const open = await openRunsByLane(
    models.schedule,
    subscription._id,
    lanes.map(({ lane }) => lane),
  );
  const documents: ScheduledRunDocument[] = [];
  const reached = new Map<string, number>();
  const waiting: string[] = [];
  for (const lane of lanes) {
    const free = openMax - (open.get(lane.lane) ?? 0);
    if (free <= 0) continue;
    if (open.has(lane.lane)) waiting.push(lane.lane);
    const to = Math.min(reachOf(subscription, lane), lane.recorded_to + positionsMax);
    const read = await headersOf(models.event, subscription.project_client_id, lane, { to, limit: free });
    const { examined: headers, wanted } = await selectWanted(models.event, subscription, read);
    for (const [index, header] of [...wanted].entries()) {
      const isNext = index === 0 && !open.has(lane.lane);
      documents.push(newEventRun(subscription, header, { replay: lane.replay, now, isNext }));
    }
    const isAllRead = read.length < free && headers.length === read.length;
    reached.set(lane.lane, isAllRead ? to : (headers.at(-1)?.position ?? to));
  }
  if (reached.size === 0) return { count: 0, lanes: [], subscription };
  await insertInOrder(models.schedule, documents);
  const held = (subscription.held ?? []).flatMap((lane) => {
    const position = reached.get(lane.lane);
    if (position === undefined) return lane;
    return position >= reachOf(subscription, lane) ? [] : { ...lane, recorded_to: position };
  });
  const revision = await writeProgress(models, subscription, { held });
  if (revision === null) return null;
  return { count: documents.length, lanes: waiting, subscription: { ...subscription, held, revision } };
}

/** The position up to which events of the lane were skipped. */
function reachOf({ recorded_to, replays }: SubscriptionDocument, lane: HeldLane): number {
  if (lane.to === undefined) return recorded_to;
  return replays.find(({ number }) => number === lane.replay)?.recorded_to ?? lane.to;
}

async function headersOf(
  { events }: EventModels,
  clientId: string,
  { stream_id, recorded_to }: HeldLane,
  { to, limit }: { to: number; limit: number },
): Promise<EventHeader[]> {
  return (await collectionOf(events)
    .find(
      { project_client_id: clientId, position: { $gt: recorded_to, $lte: to }, stream_id },
      {
        projection: headerFields,
        sort: { position: 1 },
        limit,
        batchSize: limit + 1,
      },
    )
    .toArray()) as EventHeader[];
}

import { collectionOf } from "@platform/kit/store/documents";
import type { Machine } from "@platform/operator-plane/machines";
import type { RetentionScope } from "@platform/operator-plane/retention";
import { progressOf } from "./consumer-positions.ts";
import type { EventLogHeadDocument, EventModels } from "./domain-event-model.ts";
import type { EventsModels } from "./models.ts";
import type { SubscriptionDocument } from "./subscription-model.ts";

type Models = Pick<EventsModels, "event" | "schedule" | "subscriptions" | "consumers" | "consumerPositions">;
/**
 * Called for each client, with true if the client has expired events that are kept because somebody has not read them
 * yet.
 */
export type OnHeld = (clientId: string, isHeld: boolean) => void;
/** Returns whether this worker removes a client's events. */
export type IsOwn = (clientId: string) => boolean | Promise<boolean>;

const headsAtOnce = 100;

/** The position up to which a client's events were removed; 0 if none were. */
export async function removedTo({ heads }: EventModels, clientId: string): Promise<number> {
  const head = await heads
    .findOne({ _id: clientId }, { removed_to: 1 })
    .lean<Pick<EventLogHeadDocument, "removed_to"> | null>();
  return head?.removed_to ?? 0;
}

/**
 * Removes old events from the beginning of logs, so that the rest of a log has no gaps. The sweep visits the logs in
 * turn: each call continues where the last one stopped.
 * @param isOwn returns whether this worker removes a client's events, so that workers share this work in the same way
 * as the numbering
 */
export function createEventSweep(models: Models, onHeld: OnHeld, isOwn: IsOwn) {
  let afterId = "";
  const removeOwn = async (clientId: string, before: Date, limit: number): Promise<number> => {
    if (await isOwn(clientId)) return removeOldEvents(models, clientId, { before, limit, onHeld });
    // Another worker has taken over the client and reports on its log.
    onHeld(clientId, false);
    return 0;
  };
  return async (scope: RetentionScope, before: Date, limit: number): Promise<number> => {
    if (scope.clientId !== null) return removeOwn(scope.clientId, before, limit);
    let removed = 0;
    for (;;) {
      const heads = await models.event.heads
        .find({ _id: { $gt: afterId, $nin: [...scope.exceptClientIds] } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(headsAtOnce)
        .lean<Pick<EventLogHeadDocument, "_id">[]>();
      for (const { _id: clientId } of heads) {
        removed += await removeOwn(clientId, before, limit - removed);
        if (removed >= limit) return removed;
        afterId = clientId;
      }
      if (heads.length < headsAtOnce) {
        afterId = "";
        return removed;
      }
    }
  };
}

/**
 * Removes at most `limit` of a client's events that are older than a time and that nobody still has to read. The head
 * is updated first and records up to which position they are removed. After a crash in between, the next call removes
 * the remaining events.
 */
async function removeOldEvents(
  models: Models,
  clientId: string,
  { before, limit, onHeld }: { readonly before: Date; readonly limit: number; readonly onHeld: OnHeld },
): Promise<number> {
  const { events, heads } = models.event;
  const known = await removedTo(models.event, clientId);
  const of = { project_client_id: clientId };
  const onlyTime = { projection: { position: 1, published_at: 1 }, sort: { position: 1 } } as const;
  const first = await collectionOf(events).findOne({ ...of, position: { $gt: 0 } }, onlyTime);
  // Most logs have nothing to remove. For those, only one event is read.
  if (first === null || !((first.position ?? 0) <= known || first.published_at < before)) {
    onHeld(clientId, false);
    return 0;
  }
  // Positions have no gaps, so the database only has to find the first event that is too young. If all are old
  // enough, it sends no event.
  const begin = Math.max(known, (first.position ?? 0) - 1);
  const young = await collectionOf(events).findOne(
    { ...of, position: { $gt: begin, $lte: begin + limit }, published_at: { $gte: before } },
    onlyTime,
  );
  const oldTo = Math.min((young?.position ?? begin + limit + 1) - 1, await writtenTo(models.event, clientId));
  const last = Math.max(known, Math.min(oldTo, await readByAll(models, clientId)));
  onHeld(clientId, last < oldTo);
  if (last === 0) return 0;
  await collectionOf(heads).updateOne({ _id: clientId }, { $max: { removed_to: last } });
  const { deletedCount } = await collectionOf(events).deleteMany({ ...of, position: { $gt: 0, $lte: last } });
  return deletedCount;
}

/**
 * The position up to which everybody has read a client's log: its consumers, its subscriptions including replays, and
 * the relay.
 */
async function readByAll(models: Models, clientId: string): Promise<number> {
  const [relayed, consumed, called] = await Promise.all([
    relayedTo(models.event, clientId),
    consumedTo(models, clientId),
    calledTo(models, clientId),
  ]);
  return Math.min(relayed, consumed, called);
}

/** The position up to which every event has its position written. The last batch may not be written completely yet. */
async function writtenTo({ events, heads }: EventModels, clientId: string): Promise<number> {
  const head = await heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head === null) return 0;
  const unwritten = await events.countDocuments({ _id: { $in: head.batch }, unnumbered: true });
  return unwritten === 0 ? head.position : head.position - head.batch.length;
}

async function relayedTo({ events }: EventModels, clientId: string): Promise<number> {
  const first = await events
    .findOne({ project_client_id: clientId, relay_state: "pending", position: { $gt: 0 } }, { position: 1 })
    .sort({ position: 1 })
    .lean<{ position: number } | null>();
  return first === null ? Number.POSITIVE_INFINITY : first.position - 1;
}

/**
 * The position up to which all consumers have read. A consumer that has never read counts as position 0 until it is
 * revoked.
 */
async function consumedTo({ consumers, consumerPositions }: Models, clientId: string): Promise<number> {
  const open: Machine[] = [];
  for (let cursor = ""; ; ) {
    const page = await consumers.list(clientId, { limit: 200, cursor });
    open.push(...page.items.filter(({ revoked_at }) => revoked_at === null));
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  const read = await progressOf(
    consumerPositions,
    open.map(({ id }) => id),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...open.map(({ id }) => read.get(id)?.position ?? 0));
}

/**
 * The position up to which all subscriptions have delivered. A paused subscription counts, because it may be resumed
 * at any time; an ended one does not.
 */
async function calledTo({ subscriptions, schedule }: Models, clientId: string): Promise<number> {
  let to = Number.POSITIVE_INFINITY;
  const found = await subscriptions
    .find({ project_client_id: clientId, status: { $ne: "ended" } })
    .lean<SubscriptionDocument[]>();
  for (const { _id, recorded_to, replays, held = [] } of found) {
    const first = await schedule.runs
      .findOne({ subscription_id: _id, unsettled: true }, { position: 1 })
      .sort({ position: 1 })
      .lean<{ position: number } | null>();
    const open = first === null ? Number.POSITIVE_INFINITY : first.position - 1;
    to = Math.min(to, open, recorded_to, ...[...replays, ...held].map((range) => range.recorded_to));
  }
  return to;
}

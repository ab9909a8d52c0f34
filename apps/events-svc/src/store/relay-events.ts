import type { LoggedEvent } from "../domain/domain-event.ts";
import {
  type DomainEventDocument,
  type EventLogHeadDocument,
  type EventModels,
  toDomainEvent,
} from "./domain-event-model.ts";

/** Clients that have events to relay, those with the oldest first; found among the oldest `among` events that are not of `paused` clients. */
export async function clientsToRelay(
  { events }: EventModels,
  among: number,
  paused: readonly string[] = [],
): Promise<string[]> {
  const others = paused.length === 0 ? {} : { project_client_id: { $nin: paused } };
  const found = await events
    .find({ relay_state: "pending", ...others }, { project_client_id: 1 })
    .sort({ inserted: 1 })
    .limit(among)
    .lean<Pick<DomainEventDocument, "project_client_id">[]>();
  return [...new Set(found.map(({ project_client_id }) => project_client_id))];
}

/**
 * A client's next events to relay, in order. Stops before a batch whose positions are still being written, because a later event could overtake one
 * of it.
 */
export async function eventsToRelay(models: EventModels, clientId: string, limit: number): Promise<LoggedEvent[]> {
  const head = await models.heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head === null) return [];
  const unwritten = await models.events.countDocuments({ _id: { $in: head.batch }, unnumbered: true });
  const last = unwritten === 0 ? head.position : head.position - head.batch.length;
  const found = await models.events
    .find({ project_client_id: clientId, relay_state: "pending", position: { $lte: last } })
    .sort({ position: 1 })
    .limit(limit)
    .lean<DomainEventDocument[]>();
  return found.flatMap((document) =>
    document.position === undefined ? [] : [{ position: document.position, event: toDomainEvent(document) }],
  );
}

/** Notes that events are in the relay. */
export async function markRelayed(
  { events }: EventModels,
  clientId: string,
  relayed: readonly LoggedEvent[],
): Promise<void> {
  await events.collection.updateMany(
    {
      _id: { $in: relayed.map(({ event }) => event.id) },
      project_client_id: clientId,
      relay_state: "pending",
    } as never,
    { $set: { relay_state: "relayed" } },
  );
}

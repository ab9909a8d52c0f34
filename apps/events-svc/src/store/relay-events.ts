import { absent, collectionOf } from "@platform/kit/store/documents";
import type { LoggedEvent } from "../domain/domain-event.ts";
import { partitionCount, partitionOf } from "../domain/partition.ts";
import {
  type DomainEventDocument,
  type EventLogHeadDocument,
  type EventModels,
  toDomainEvent,
} from "./domain-event-model.ts";

/**
 * Finds clients of some partitions that have events to relay. The search starts after `afterClient` and covers the
 * next `among` events.
 * @returns the clients in order, and the client to continue after; null after the last one
 */
export async function clientsToRelay(
  { events }: EventModels,
  partitions: ReadonlySet<number>,
  options: { readonly afterClient: string; readonly among: number; readonly paused?: readonly string[] },
): Promise<{ clientIds: string[]; next: string | null }> {
  const { afterClient, among, paused = [] } = options;
  const found = await collectionOf(events)
    .find(
      {
        relay_state: "pending",
        // Servers of the previous version publish events without a partition.
        partition: { $in: [...partitions, absent] },
        project_client_id: { $gt: afterClient, ...(paused.length === 0 ? {} : { $nin: [...paused] }) },
      },
      { projection: { project_client_id: 1 }, sort: { project_client_id: 1 }, limit: among, batchSize: among + 1 },
    )
    .toArray();
  const clientIds = [...new Set(found.map(({ project_client_id }) => project_client_id))];
  return {
    clientIds: clientIds.filter((clientId) => partitions.has(partitionOf(clientId))),
    next: found.length < among ? null : (clientIds.at(-1) ?? null),
  };
}

/**
 * Reads a client's next events to relay, in order. Stops before a batch whose positions are still being written,
 * because a later event could otherwise overtake one of the batch.
 */
export async function eventsToRelay(models: EventModels, clientId: string, limit: number): Promise<LoggedEvent[]> {
  const head = await models.heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head === null) return [];
  const unwritten = await models.events.countDocuments({
    _id: { $in: head.batch },
    project_client_id: clientId,
    unnumbered: true,
  });
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

const waitingReadMax = 20_000;
const everyPartition = [...Array.from({ length: partitionCount }, (_, partition) => partition), null];

/**
 * Time at which the oldest event was published that waits for the relay; null if none waits. At most 20,000 events
 * are searched, and clients that are paused are left out.
 */
export async function findOldestUnrelayedAt({ events }: EventModels, paused: readonly string[]): Promise<Date | null> {
  const [oldest] = await collectionOf(events)
    .aggregate<{ at: Date }>([
      {
        $match: {
          relay_state: "pending",
          // The query names all partitions so that it uses the index of events to relay.
          partition: { $in: everyPartition },
          ...(paused.length === 0 ? {} : { project_client_id: { $nin: [...paused] } }),
        },
      },
      { $limit: waitingReadMax },
      { $group: { _id: null, at: { $min: "$published_at" } } },
    ])
    .toArray();
  return oldest?.at ?? null;
}

/** Records that events have been relayed. */
export async function markRelayed(
  { events }: EventModels,
  clientId: string,
  relayed: readonly LoggedEvent[],
): Promise<void> {
  await collectionOf(events).updateMany(
    {
      _id: { $in: relayed.map(({ event }) => event.id) },
      project_client_id: clientId,
      relay_state: "pending",
    },
    { $set: { relay_state: "relayed" } },
  );
}

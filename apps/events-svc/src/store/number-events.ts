import { absent, collectionOf, isDuplicateKey } from "@platform/kit/store/documents";
import { partitionCount, partitionOf } from "../domain/partition.ts";
import type { EventLogHeadDocument, EventModels } from "./domain-event-model.ts";

/** Events of a client that have no positions yet, in the order in which they were inserted. */
export type UnnumberedEvents = { readonly clientId: string; readonly ids: readonly string[] };

/** Unnumbered events of consecutive clients, and the client after which the next page starts. */
export type UnnumberedPage = {
  readonly batches: readonly UnnumberedEvents[];
  /** Client after which the next page starts; null after the last client. */
  readonly next: string | null;
};

/** A worker's knowledge of a client's log: a revision whose batch was completely written, and the last position. */
export type KnownLog = { readonly revision: number; readonly position: number; readonly fence: number };

/**
 * Reads at most `limit` unnumbered events, either of one client, or of the clients in some partitions, client by
 * client. The rest of a long backlog is left for later, so that a client's backlog does not hide other clients.
 * It reads a snapshot if the server supports this (replica sets): a read that sees an event must also see every event
 * that was acknowledged before that one was published. Otherwise the log would not follow the order of
 * acknowledgement.
 */
export async function findUnnumberedEvents(
  { events }: EventModels,
  partitions: ReadonlySet<number>,
  options: {
    readonly clients: { readonly after: string } | { readonly only: string };
    readonly limit: number;
    readonly isReplicaSet: boolean;
  },
): Promise<UnnumberedPage> {
  const { clients, limit, isReplicaSet } = options;
  const found = await collectionOf(events)
    .find(
      // Servers of the previous version publish events without a partition.
      {
        unnumbered: true,
        partition: { $in: [...partitions, absent] },
        project_client_id: "after" in clients ? { $gt: clients.after } : clients.only,
      },
      {
        projection: { _id: 1, project_client_id: 1 },
        sort: { project_client_id: 1, inserted: 1, _id: 1 },
        limit,
        batchSize: limit + 1,
        ...(isReplicaSet ? { readConcern: { level: "snapshot" } } : {}),
      },
    )
    .toArray();
  const batches = [...Map.groupBy(found, ({ project_client_id }) => project_client_id)].map(
    ([clientId, documents]) => ({
      clientId,
      ids: documents.map(({ _id }) => String(_id)),
    }),
  );
  return {
    batches: batches.filter(({ clientId }) => partitions.has(partitionOf(clientId))),
    next: found.length < limit ? null : (batches.at(-1)?.clientId ?? null),
  };
}

const waitingReadMax = 20_000;
const everyPartition = [...Array.from({ length: partitionCount }, (_, partition) => partition), null];

/**
 * Time at which the oldest event without a position was published, among at most 20,000 such events; null if every
 * event has a position.
 */
export async function findOldestUnnumberedAt({ events }: EventModels): Promise<Date | null> {
  const [oldest] = await collectionOf(events)
    .aggregate<{ at: Date }>([
      // The query names all partitions so that it uses the index of unnumbered events.
      { $match: { unnumbered: true, partition: { $in: everyPartition } } },
      { $limit: waitingReadMax },
      { $group: { _id: null, at: { $min: "$published_at" } } },
    ])
    .toArray();
  return oldest?.at ?? null;
}

/**
 * Reads the state of a client's log from its head. Also completes the last batch, in case the worker that assigned it
 * died before it had written the positions.
 * @param fence the fencing token of the caller's claim of the client's partition
 * @returns null if a later claim has written the head, which means that the caller has lost its claim
 */
export async function takeOverLog(models: EventModels, clientId: string, fence: number): Promise<KnownLog | null> {
  const head = await models.heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head === null) return { revision: 0, position: 0, fence };
  if ((head.fence ?? 0) > fence) return null;
  await writePositions(models, clientId, head.batch, head.position - head.batch.length + 1);
  return { revision: head.revision, position: head.position, fence };
}

/**
 * Assigns the next positions to events of a client, in the order of the list. The head is written conditionally, so
 * that only one of two workers with the same revision succeeds. The events must have been read as unnumbered after
 * the batch of `known.revision` was written, so that none gets two positions.
 * @returns the new head, or null if another worker wrote first
 */
export async function numberEvents(
  models: EventModels,
  { clientId, ids }: UnnumberedEvents,
  { revision, position, fence }: KnownLog,
): Promise<KnownLog | null> {
  const next: KnownLog = { revision: revision + 1, position: position + ids.length, fence };
  const fields = { ...next, batch: ids };
  if (revision === 0) {
    try {
      await collectionOf(models.heads).insertOne({ _id: clientId, ...fields });
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  } else {
    const { matchedCount } = await collectionOf(models.heads).updateOne({ _id: clientId, revision }, { $set: fields });
    if (matchedCount === 0) return null;
  }
  await writePositions(models, clientId, ids, position + 1);
  return next;
}

/**
 * Writes the positions of a batch into its events, by one command. It can be repeated, because an event that already
 * has its position does not change.
 */
async function writePositions(
  { events }: EventModels,
  clientId: string,
  ids: readonly string[],
  first: number,
): Promise<void> {
  if (ids.length === 0) return;
  await collectionOf(events).bulkWrite(
    ids.map((id, index) => ({
      updateOne: {
        filter: { _id: id, project_client_id: clientId, unnumbered: true },
        update: { $set: { position: first + index }, $unset: { unnumbered: "" } },
      },
    })),
    { ordered: false },
  );
}

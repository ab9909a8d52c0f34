import { isDuplicateKey } from "@platform/service-kit/mongo/store-failure";
import type { EventLogHeadDocument, EventModels } from "./domain-event-model.ts";

/** An event that has no position yet. */
export type UnnumberedEvent = { readonly id: string; readonly clientId: string };

/** A worker's view of a client's log: a revision whose batch is written, and the last position. */
export type KnownLog = { readonly revision: number; readonly position: number };

/**
 * The oldest events without a position, of any client.
 * Read as a snapshot where the server offers it (replica sets): a scan that sees an event must see those acknowledged before its publication, or the
 * log would not follow commit order.
 */
export async function findUnnumberedEvents(
  { events }: EventModels,
  limit: number,
  isReplicaSet: boolean,
): Promise<UnnumberedEvent[]> {
  const found = await events.collection
    .find(
      { unnumbered: true },
      {
        projection: { _id: 1, project_client_id: 1 },
        sort: { inserted: 1, _id: 1 },
        limit,
        batchSize: limit,
        ...(isReplicaSet ? { readConcern: { level: "snapshot" } } : {}),
      },
    )
    .toArray();
  return found.map((document) => ({ id: String(document._id), clientId: document.project_client_id }));
}

/** When the oldest event without a position was published; null when every event has one. */
export async function findOldestUnnumberedAt({ events }: EventModels): Promise<Date | null> {
  const oldest = await events.collection.findOne(
    { unnumbered: true },
    { projection: { _id: 0, published_at: 1 }, sort: { inserted: 1, _id: 1 } },
  );
  return oldest === null ? null : (oldest.published_at as Date);
}

/**
 * Reads a client's log head and completes the last batch, whose numberer may have died.
 * @returns null when another numberer holds the client
 */
export async function takeOverLog(
  models: EventModels,
  clientId: string,
  owner: string,
  now: Date,
): Promise<KnownLog | null> {
  const head = await models.heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head === null) return { revision: 0, position: 0 };
  if (head.owner !== owner && head.leased_until > now) return null;
  await writePositions(models, head.batch, head.position - head.batch.length + 1);
  return { revision: head.revision, position: head.position };
}

/**
 * Gives the next positions to events of a client, in the order of the list. The conditional write of the head decides: of two numberers with one
 * revision one wins. The events must have been read as unnumbered after the batch of `known.revision` was written; then none gets two positions.
 * @returns the new head, or null when another numberer was first
 */
export async function numberEvents(
  models: EventModels,
  clientId: string,
  known: KnownLog,
  ids: readonly string[],
  lease: { owner: string; until: Date },
): Promise<KnownLog | null> {
  const next: KnownLog = { revision: known.revision + 1, position: known.position + ids.length };
  const fields = { ...next, batch: ids, owner: lease.owner, leased_until: lease.until };
  if (known.revision === 0) {
    try {
      await models.heads.collection.insertOne({ _id: clientId, ...fields } as never);
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  } else {
    const { matchedCount } = await models.heads.collection.updateOne(
      { _id: clientId, revision: known.revision } as never,
      { $set: fields },
    );
    if (matchedCount === 0) return null;
  }
  await writePositions(models, ids, known.position + 1);
  return next;
}

/** Writes a batch's positions into its events. Safe to repeat: an event that has its position is left alone. */
async function writePositions({ events }: EventModels, ids: readonly string[], first: number): Promise<void> {
  if (ids.length === 0) return;
  await events.collection.bulkWrite(
    ids.map((id, index) => ({
      updateOne: {
        filter: { _id: id, unnumbered: true },
        update: { $set: { position: first + index }, $unset: { unnumbered: "" } },
      },
    })) as never,
    { ordered: false },
  );
}

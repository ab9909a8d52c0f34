import { newId } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import { partitionOf } from "../domain/partition.ts";
import {
  type DomainEventDocument,
  type EventLogHeadDocument,
  type EventModels,
  eventModels,
  timestampOfInsertion,
} from "./domain-event-model.ts";

const readAtOnce = 1_000;

/**
 * Repairs logs after a restore from a backup that was taken while events were being numbered. A head may then be
 * older than its events, and a batch may be incomplete. Its missing positions belong to the unnumbered events, in the
 * order of insertion. If the backup lacks an event, a platform event takes its position, because readers could not
 * pass the position otherwise. A complete log does not change.
 */
export async function reconcileEvents(
  connection: Connection,
  say: (line: string) => void,
): Promise<{ readonly lost: number }> {
  const models = eventModels(connection);
  let [logs, heads, numbered, lost] = [0, 0, 0, 0];
  for (let after = ""; ; logs += 1) {
    const next = await collectionOf(models.events).findOne(
      { project_client_id: { $gt: after } },
      { sort: { project_client_id: 1 }, projection: { project_client_id: 1 } },
    );
    if (next === null) break;
    after = next.project_client_id;
    const last = await lastPosition(models, after);
    for (const position of await missingPositions(models, after, last))
      if (await fill(models, after, position)) numbered += 1;
      else lost += 1;
    if (await raiseHead(models, after, last)) heads += 1;
  }
  say(
    `${logs} logs: ${heads} heads raised, ${numbered} events numbered, ${lost} events of which only the position is left`,
  );
  return { lost };
}

async function lastPosition({ events }: EventModels, clientId: string): Promise<number> {
  const last = await collectionOf(events).findOne(
    { project_client_id: clientId, position: { $gt: 0 } },
    { sort: { position: -1 }, projection: { position: 1 } },
  );
  return last?.position ?? 0;
}

async function missingPositions({ events }: EventModels, clientId: string, last: number): Promise<number[]> {
  const own = { project_client_id: clientId, position: { $gt: 0 } };
  if ((await collectionOf(events).countDocuments(own)) === last) return [];
  const missing: number[] = [];
  let expected = 1;
  const cursor = collectionOf(events).find(own, {
    sort: { position: 1 },
    projection: { position: 1 },
    batchSize: readAtOnce,
  });
  for await (const { position = 0 } of cursor) {
    for (; expected < position; expected += 1) missing.push(expected);
    expected = position + 1;
  }
  return missing;
}

/**
 * Fills a position with the client's first unnumbered event. If there is none, fills it with an event that reports
 * the loss.
 */
async function fill({ events }: EventModels, clientId: string, position: number): Promise<boolean> {
  const found = await collectionOf(events).findOneAndUpdate(
    { project_client_id: clientId, unnumbered: true },
    { $set: { position }, $unset: { unnumbered: "" } },
    { sort: { inserted: 1, _id: 1 } },
  );
  if (found !== null) return true;
  const now = new Date();
  const id = newId();
  const placeholder: DomainEventDocument = {
    _id: id,
    project_client_id: clientId,
    type: "platform.domain_event.lost",
    schema_version: 1,
    data_json: JSON.stringify({ position }),
    occurred_at: now,
    published_at: now,
    inserted: timestampOfInsertion(),
    partition: partitionOf(clientId),
    position,
    relay_state: "off",
    origin: "platform",
    idempotency_key: `platform domain_event:${id}:lost`,
    idempotency_fingerprint: "platform",
  };
  await collectionOf(events).insertOne(placeholder);
  return false;
}

/** Raises a head, so that the next batch starts after the last position that an event has. */
async function raiseHead({ heads }: EventModels, clientId: string, last: number): Promise<boolean> {
  if (last === 0) return false;
  const head = await heads.findOne({ _id: clientId }).lean<EventLogHeadDocument | null>();
  if (head !== null && head.position >= last) return false;
  const fields = { position: last, batch: [], fence: head?.fence ?? 0, revision: (head?.revision ?? 0) + 1 };
  await collectionOf(heads).updateOne({ _id: clientId }, { $set: fields }, { upsert: true });
  return true;
}

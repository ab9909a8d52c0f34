import { collectionOf } from "@platform/kit/store/documents";
import type { LoggedEvent } from "../domain/domain-event.ts";
import { type EventModels, toDomainEvent } from "./domain-event-model.ts";

/** Returns events by their ids, whichever client they belong to. Events that do not exist are left out. */
export async function eventsByIds({ events }: EventModels, ids: readonly string[]): Promise<Map<string, LoggedEvent>> {
  const found = await collectionOf(events)
    .find({ _id: { $in: ids } }, { batchSize: ids.length + 1 })
    .toArray();
  return new Map(
    found.map((document) => [document._id, { position: document.position ?? 0, event: toDomainEvent(document) }]),
  );
}

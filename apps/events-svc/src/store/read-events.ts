import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { LoggedEvent } from "../domain/domain-event.ts";
import {
  type DomainEventDocument,
  type EventLogHeadDocument,
  type EventModels,
  toDomainEvent,
} from "./domain-event-model.ts";
import { readingPace } from "./reading-pace.ts";

/**
 * Maximum contents of one page of a log. The event with which the data reaches `bytesMax` is the last one of the
 * page.
 */
export type EventPage = {
  readonly eventsMax: number;
  /** Maximum number of characters of the events' data. */
  readonly bytesMax: number;
};

/**
 * The first page of a stream. It is small, so that a reader that takes nothing costs little, however many streams it
 * opens.
 */
export const firstPage: EventPage = { eventsMax: 16, bytesMax: 128 * 1024 };
const largestPage: EventPage = { eventsMax: 500, bytesMax: 4 * 1024 * 1024 };

/** Returns the size of the page after one that the reader has taken: twice as large, up to 500 events or 4 MiB. */
export const pageAfter = ({ eventsMax, bytesMax }: EventPage): EventPage => ({
  eventsMax: Math.min(eventsMax * 2, largestPage.eventsMax),
  bytesMax: Math.min(bytesMax * 2, largestPage.bytesMax),
});

/**
 * Maximum number of database batches for a page. A page of large events ends early, and then the rest of its batch
 * would have been sent in vain.
 */
const batchesPerPage = 8;

/**
 * Reads one page of a client's events after a position, in order, so that a slow reader keeps little in memory. The
 * page ends before the first position that is missing, so that a reader never passes an event that is still to be
 * written.
 */
export async function eventsAfter(
  { events }: EventModels,
  clientId: string,
  afterPosition: number,
  { eventsMax, bytesMax }: EventPage,
): Promise<LoggedEvent[]> {
  const cursor = collectionOf(events).find<DomainEventDocument>(
    { project_client_id: clientId, position: { $gt: afterPosition } },
    { sort: { position: 1 }, limit: eventsMax, batchSize: Math.ceil(eventsMax / batchesPerPage) },
  );
  const page: LoggedEvent[] = [];
  let bytes = 0;
  try {
    for await (const document of cursor) {
      if (document.position !== afterPosition + page.length + 1) break;
      page.push({ position: document.position, event: toDomainEvent(document) });
      bytes += document.data_json.length;
      if (bytes >= bytesMax) break;
      await readingPace(document.data_json.length);
    }
  } finally {
    await cursor.close();
  }
  return page;
}

const numberingMsMax = 2_000;
const lookEveryMs = 20;

/**
 * Returns the position of a client's last published event. Waits up to 2 s until published events have their
 * positions.
 */
export async function lastPublishedPosition(models: EventModels, clientId: string): Promise<number> {
  // Ids sort by time, so the filter selects events that were published before this call.
  const published = { project_client_id: clientId, unnumbered: true, _id: { $lt: newId() } } as const;
  const untilMs = performance.now() + numberingMsMax;
  while (performance.now() < untilMs && (await collectionOf(models.events).findOne(published)) !== null) {
    await delay(lookEveryMs);
  }
  return lastPosition(models, clientId);
}

/** The last position of an event of a client; 0 if there is none. */
export async function lastPosition({ heads }: EventModels, clientId: string): Promise<number> {
  const head = await heads
    .findOne({ _id: clientId }, { position: 1 })
    .lean<Pick<EventLogHeadDocument, "position"> | null>();
  return head?.position ?? 0;
}

/** The last positions of the given clients' logs. */
export async function lastPositions(
  { heads }: EventModels,
  clientIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await collectionOf(heads)
    .find({ _id: { $in: clientIds } }, { projection: { position: 1 }, batchSize: clientIds.length + 1 })
    .toArray();
  return new Map((found as unknown as EventLogHeadDocument[]).map(({ _id, position }) => [_id, position]));
}

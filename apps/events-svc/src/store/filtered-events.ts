import { collectionOf } from "@platform/kit/store/documents";
import { compileFilter } from "../domain/event-filter.ts";
import { compileTypes } from "../domain/type-pattern.ts";
import type { EventModels } from "./domain-event-model.ts";
import type { EventHeader } from "./event-runs.ts";
import { readingPace } from "./reading-pace.ts";
import type { SubscriptionDocument } from "./subscription-model.ts";

/**
 * Maximum amount of data, in bytes, for which one step reads and evaluates a filter, so that no subscription occupies
 * the process for long.
 */
const bytesMax = 4 * 1024 * 1024;
const batchSize = 8;

type Wanted = {
  /** The events to which the filter was applied: all of them, or only the first ones if their data is large. */
  readonly examined: readonly EventHeader[];
  readonly wanted: ReadonlySet<EventHeader>;
  /**
   * True if the content of events was read. Such a step always advances the position, so that the next step does not
   * read the content again.
   */
  readonly isContentRead: boolean;
};

/**
 * Selects the events of a client that a subscription matches by their types and, if it has a filter, by their
 * content.
 */
export async function selectWanted(
  { events }: EventModels,
  { project_client_id, types, filter }: SubscriptionDocument,
  headers: readonly EventHeader[],
): Promise<Wanted> {
  const isWanted = compileTypes(types);
  const ofType = headers.filter(({ type }) => isWanted(type));
  if (filter === undefined || ofType.length === 0) {
    return { examined: headers, wanted: new Set(ofType), isContentRead: false };
  }
  const matches = compileFilter(filter);
  const byPosition = new Map(ofType.map((header) => [header.position, header]));
  const wanted = new Set<EventHeader>();
  const cursor = collectionOf(events).find(
    { project_client_id, position: { $in: [...byPosition.keys()] } },
    {
      projection: { position: 1, type: 1, stream_id: 1, schema_version: 1, data_json: 1 },
      sort: { position: 1 },
      batchSize,
    },
  );
  let bytes = 0;
  try {
    for await (const { position = 0, type, stream_id = null, schema_version, data_json } of cursor) {
      const header = byPosition.get(position);
      bytes += data_json.length;
      const data = JSON.parse(data_json) as unknown;
      if (header !== undefined && matches({ type, stream_id, schema_version, data })) wanted.add(header);
      // The rest is filtered by the next step, which starts after this event.
      if (bytes > bytesMax) {
        return { examined: headers.filter((each) => each.position <= position), wanted, isContentRead: true };
      }
      await readingPace(data_json.length);
    }
  } finally {
    await cursor.close();
  }
  return { examined: headers, wanted, isContentRead: true };
}

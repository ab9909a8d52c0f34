import { newId } from "@platform/kit/process/secrets";
import { untypedCollection } from "@platform/test-kit/documents";
import { timestampOfInsertion } from "../src/store/domain-event-model.ts";
import type { eventsModels } from "../src/store/models.ts";

const dayMs = 86_400_000;

/** Inserts a log whose first events are 400 days old and whose others are 10 days old. */
export async function insertEventLog(
  models: ReturnType<typeof eventsModels>,
  clientId: string,
  old: number,
  recent: number,
): Promise<void> {
  const event = (position: number) => ({
    _id: newId(),
    project_client_id: clientId,
    type: "order.placed",
    schema_version: 1,
    data_json: "{}",
    occurred_at: null,
    published_at: new Date(Date.now() - (position <= old ? 400 : 10) * dayMs),
    inserted: timestampOfInsertion(),
    position,
    relay_state: "off",
    idempotency_key: newId(),
    idempotency_fingerprint: "f",
  });
  const count = old + recent;
  await untypedCollection(models.event.events).insertMany(
    Array.from({ length: count }, (_, index) => event(index + 1)),
  );
  await untypedCollection(models.event.heads).insertOne({
    _id: clientId,
    revision: 1,
    position: count,
    batch: [],
    owner: "test",
    leased_until: new Date(0),
  });
}

import { newId } from "@platform/kit/process/secrets";
import type { Connection } from "mongoose";
import { eventModels } from "../src/store/domain-event-model.ts";
import { createEventPublisher } from "../src/store/publish-domain-event.ts";

const atOnce = 500;

/** Publishes events as the service does but without its RPCs, so that a backlog exists before a worker starts. */
export function backlogPublisher(connection: Connection, options: { readonly isRelayed: boolean }) {
  const publisher = createEventPublisher(eventModels(connection), {
    clock: () => new Date(),
    onPublished: () => undefined,
    ...options,
  });
  const input = {
    type: "a.backlog",
    schema_version: 1,
    data_json: "{}",
    stream_id: null,
    sequence: null,
    occurred_at: null,
  };
  const publishOne = async (clientId: string): Promise<string> =>
    (await publisher.publish(clientId, input, { key: newId(), fingerprint: "f".repeat(64) })).event.id;
  return {
    publishOne,
    publishMany: async (clientId: string, count: number): Promise<void> => {
      for (let left = count; left > 0; left -= atOnce)
        await Promise.all(Array.from({ length: Math.min(left, atOnce) }, () => publishOne(clientId)));
    },
  };
}

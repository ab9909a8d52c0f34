import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PlatformEventService } from "@platform/proto/events/v1/events_service";
import type { GrpcConnection } from "../grpc/connect.ts";
import { createInterruptibleSleep } from "../jobs/interruptible-sleep.ts";
import type { Outbox, OutboxEntry } from "../mongo/outbox.ts";
import type { Logger } from "../process/logger.ts";
import { newId } from "../secrets/id.ts";

/** Publishes platform events of documents; each is published once for its key. */
export type PublishFacts = (entries: readonly OutboxEntry[]) => Promise<void>;

const entriesMax = 100;
const idleMs = 500;
const failedMs = 2_000;

/** Publishes by events-svc. */
export function publishToEventsSvc(events: GrpcConnection): PublishFacts {
  const service = events.service(PlatformEventService);
  return async (entries) => {
    const context = {
      correlationId: newId(),
      operation: "relayPlatformEvents",
      projectClient: null,
      idempotency: null,
    };
    const published = entries.flatMap(({ clientId, facts }) =>
      facts.map(({ key, type, data_json, occurred_at, client_id }) => ({
        projectClientId: client_id ?? clientId,
        key,
        type,
        dataJson: data_json,
        occurredAt: timestampFromDate(occurred_at),
      })),
    );
    await service.publishPlatformEvents({ events: published }, { context, deadlineMs: Date.now() + 10_000 });
  };
}

/** Publishes the events in outboxes, by any number of workers. While events-svc is unavailable they wait. */
export function startPlatformEventRelay(options: {
  readonly outboxes: readonly Outbox[];
  readonly publish: PublishFacts;
  readonly clock: () => Date;
  readonly logger: Logger;
}): { stop(): Promise<void> } {
  const { outboxes, publish, clock, logger } = options;
  const stopping = new AbortController();
  const { sleep } = createInterruptibleSleep(stopping.signal);

  const relay = async (outbox: Outbox): Promise<boolean> => {
    const entries = await outbox.findDue(clock(), entriesMax);
    if (entries.length === 0) return false;
    await publish(entries);
    await outbox.remove(entries);
    return entries.length === entriesMax;
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let ms = idleMs * (0.8 + 0.4 * Math.random());
      try {
        const hasMore = await Promise.all(outboxes.map(relay));
        if (hasMore.includes(true)) ms = 0;
      } catch (error) {
        if (!stopping.signal.aborted) logger.warn({ err: error, job: "relay-platform-events" }, "platform events wait");
        ms = failedMs;
      }
      if (ms > 0) await sleep(ms);
    }
  };
  const done = loop();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

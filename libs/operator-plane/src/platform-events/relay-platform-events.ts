import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { jittered, putOffMs, startPollLoop } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import { isRefusal, ServiceError } from "@platform/kit/rpc/errors";
import type { Outbox, OutboxEntry } from "@platform/kit/store/documents";
import { PlatformEventService } from "@platform/proto/events/v1/events_service";
import { Gauge, type Registry } from "@prometheus-io/client";
import { factBatches, factBytesMax } from "./fact-batches.ts";

/** Publishes platform events of documents. An event is published once for each key. */
export type PublishFacts = (entries: readonly OutboxEntry[]) => Promise<void>;

/**
 * Publishes platform events of documents and notifies contacts. Both are repeated until they have succeeded, and each
 * takes effect once.
 * @returns the entries whose contacts could not be notified yet; they have to be passed again later
 */
export type PublishAndTell = (entries: readonly OutboxEntry[]) => Promise<readonly OutboxEntry[]>;

const entriesMax = 100;
const idleMs = 500;
const failedMs = 2_000;
const measureEveryMs = 10_000;

/** Publishes events through events-svc. */
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
    // The transport would report an event that is too large for any message like an outage, so the size is checked
    // here.
    if (published.some(({ dataJson }) => dataJson.length > factBytesMax))
      throw new ServiceError("contract_violation", `A platform event has at most ${factBytesMax} bytes of data.`);
    await service.publishPlatformEvents({ events: published }, { context, deadlineMs: steadyNowMs() + 10_000 });
  };
}

/**
 * Publishes the events in outboxes. Any number of workers may run it. While events-svc is unavailable, events wait. If
 * events-svc rejects the events of a document, or their contacts cannot be notified, they are postponed, and those of
 * other documents are published.
 */
export function startPlatformEventRelay(options: {
  readonly outboxes: readonly Outbox[];
  readonly publish: PublishAndTell;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly registry: Registry;
}): { stop(): Promise<void> } {
  const { outboxes, publish, clock, logger } = options;
  const oldest = new Gauge({
    name: "platform_outbox_oldest_seconds",
    help: "Age of the oldest platform event that is not in its client's log yet; 0 when none waits.",
    registers: [options.registry],
  });
  let measuredAtMs = Number.NEGATIVE_INFINITY;

  const putOff = async (outbox: Outbox, entry: OutboxEntry): Promise<void> => {
    const now = clock();
    const occurredAt = entry.facts[0]?.occurred_at;
    const waitMs = putOffMs(occurredAt === undefined ? 0 : now.getTime() - occurredAt.getTime());
    await outbox.putOff(entry, new Date(now.getTime() + waitMs));
  };
  const putOffRejected = async (outbox: Outbox, entry: OutboxEntry, error: unknown): Promise<void> => {
    logger.error(
      { err: error, job: "relay-platform-events", resource_id: entry.id, project_client_id: entry.clientId },
      "the platform events of a document were rejected; they are postponed",
    );
    await putOff(outbox, entry);
  };
  /**
   * Publishes a batch and removes its events from their documents. If the batch is rejected, the events of each
   * document are published on their own.
   */
  const relayBatch = async (outbox: Outbox, batch: readonly OutboxEntry[]): Promise<void> => {
    let untold: readonly OutboxEntry[];
    try {
      untold = await publish(batch);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only, second] = batch;
      if (only !== undefined && second === undefined) return putOffRejected(outbox, only, error);
      for (const entry of batch) await relayBatch(outbox, [entry]);
      return;
    }
    for (const entry of untold) await putOff(outbox, entry);
    const waiting = new Set(untold.map(({ id }) => id));
    await outbox.remove(batch.filter(({ id }) => !waiting.has(id)));
  };
  const relay = async (outbox: Outbox, signal: AbortSignal): Promise<boolean> => {
    const entries = await outbox.findDue(clock(), entriesMax);
    for (const batch of factBatches(entries)) {
      if (signal.aborted) return false;
      await relayBatch(outbox, batch);
    }
    return entries.length === entriesMax;
  };
  const measure = async (): Promise<void> => {
    if (performance.now() - measuredAtMs < measureEveryMs) return;
    measuredAtMs = performance.now();
    const waiting = (await Promise.all(outboxes.map((outbox) => outbox.oldestAt()))).filter((at) => at !== null);
    const nowMs = clock().getTime();
    oldest.set(Math.max(0, ...waiting.map((at) => nowMs - at.getTime())) / 1_000);
  };
  /** Publishes the events of all outboxes, one after the other. The failure of one outbox does not stop the others. */
  const relayAll = async (signal: AbortSignal): Promise<boolean> => {
    const outcomes = await Promise.allSettled(outboxes.map((outbox) => relay(outbox, signal)));
    await measure();
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return outcomes.some((outcome) => outcome.status === "fulfilled" && outcome.value);
  };
  return startPollLoop({
    round: async (signal) => ((await relayAll(signal)) ? 0 : jittered(idleMs)),
    failed: (error, signal) => {
      if (!signal.aborted)
        logger.warn({ err: error, job: "relay-platform-events" }, "platform events wait to be published");
      return failedMs;
    },
  });
}

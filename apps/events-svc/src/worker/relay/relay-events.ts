import { startPollLoop } from "@platform/kit/jobs/pacing";
import type { CheckResult, Logger } from "@platform/kit/process/telemetry";
import type { DisabledClients } from "@platform/operator-plane/clients";
import type { EventModels } from "../../store/domain-event-model.ts";
import { clientsToRelay, eventsToRelay, markRelayed } from "../../store/relay-events.ts";
import type { OwnPartitions } from "../own-partitions.ts";
import { connectRelay, type Relay } from "./jetstream.ts";
import type { NatsSettings } from "./nats-settings.ts";

export type EventRelay = {
  /**
   * Health check of NATS: true if JetStream accepts events, the error text if it rejects them, and false if there is
   * no connection.
   */
  check(): Promise<CheckResult>;
  stop(): Promise<void>;
};

type Relayed = { readonly count: number; readonly isRefused: boolean };

const idleMs = 50;
const failedMs = 1_000;
const amongMax = 200;
/** Maximum number of events of one client that are sent before the next client is served. */
const eventsMax = 200;
/**
 * Number of clients whose events are relayed concurrently. Only one event of a client is in flight at a time, so
 * serving several clients compensates for the round trips.
 */
const clientsAtOnce = 32;

/**
 * Relays events to NATS JetStream, in the order of each client's log. Each worker serves the clients of its
 * partitions round robin, with a bounded batch for each. Every event is sent with its id, which JetStream accepts
 * only once, and stays `pending` until JetStream has confirmed that it is stored. If two workers relay the same
 * client for a short time, both send the same events in the same order.
 */
export function startEventRelay(
  models: EventModels,
  options: {
    nats: NatsSettings;
    partitions: Pick<OwnPartitions, "held">;
    /** Disabled clients, whose events are not relayed until they are enabled. */
    disabledClients: Pick<DisabledClients, "has" | "ids">;
    logger: Logger;
  },
): EventRelay {
  const { logger, nats, partitions, disabledClients } = options;
  let relay: Relay | null = null;

  /** Executes one step for a client. A rejected event delays only that client. */
  const relayBatch = async (to: Relay, clientId: string, signal: AbortSignal): Promise<Relayed> => {
    if (signal.aborted || disabledClients.has(clientId)) return { count: 0, isRefused: false };
    const events = await eventsToRelay(models, clientId, eventsMax);
    if (events.length === 0) return { count: 0, isRefused: false };
    const { stored, refusal } = await to.publish(events);
    if (stored.length > 0) await markRelayed(models, clientId, stored);
    const isRefused = stored.length < events.length;
    if (isRefused)
      logger.warn(
        {
          err: refusal,
          job: "relay-events",
          project_client_id: clientId,
          resource_id: events[stored.length]?.event.id,
        },
        "JetStream did not accept an event; the event and those after it wait",
      );
    return { count: stored.length, isRefused };
  };

  /** Runs one step for each client of the worker's partitions. */
  const relayAll = async (to: Relay, own: ReadonlySet<number>, signal: AbortSignal): Promise<Relayed> => {
    const total = { count: 0, isRefused: false };
    let afterClient: string | null = own.size === 0 ? null : "";
    while (afterClient !== null && !signal.aborted) {
      const clientIds: string[] = [];
      while (afterClient !== null && clientIds.length < clientsAtOnce) {
        const paused = disabledClients.ids();
        const page = await clientsToRelay(models, own, { afterClient, among: amongMax, paused });
        clientIds.push(...page.clientIds);
        afterClient = page.next;
      }
      for (let index = 0; index < clientIds.length; index += clientsAtOnce) {
        const turns = clientIds.slice(index, index + clientsAtOnce).map((clientId) => relayBatch(to, clientId, signal));
        for (const { count, isRefused } of await Promise.all(turns)) {
          total.count += count;
          total.isRefused ||= isRefused;
        }
      }
    }
    return total;
  };

  const loop = startPollLoop({
    round: async (signal) => {
      if (relay === null || relay.isClosed()) relay = await connectRelay(nats);
      const { count, isRefused } = await relayAll(relay, new Set(partitions.held().keys()), signal);
      if (isRefused) return failedMs;
      return count > 0 ? 0 : idleMs;
    },
    failed: (error) => {
      logger.warn({ err: error, job: "relay-events" }, "events could not be relayed");
      return failedMs;
    },
  });
  return {
    check: async () => {
      if (relay === null || relay.isClosed()) return false;
      return relay.check().then(
        () => true,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    },
    stop: async () => {
      await loop.stop();
      await relay?.close();
    },
  };
}

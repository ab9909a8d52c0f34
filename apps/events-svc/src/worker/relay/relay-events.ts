import { randomUUID } from "node:crypto";
import type { DisabledClients } from "@platform/service-kit/clients/disabled-clients";
import { createInterruptibleSleep } from "@platform/service-kit/jobs/interruptible-sleep";
import type { Logger } from "@platform/service-kit/process/logger";
import type { EventModels } from "../../store/domain-event-model.ts";
import { giveUpLease, type LeaseModel, takeLease } from "../../store/lease-model.ts";
import { clientsToRelay, eventsToRelay, markRelayed } from "../../store/relay-events.ts";
import { connectRelay, type Relay } from "./jetstream.ts";
import type { NatsSettings } from "./nats-settings.ts";

export type EventRelay = { stop(): Promise<void> };

const leaseName = "event-relay";
const leaseMs = 10_000;
const idleMs = 50;
const failedMs = 1_000;
const amongMax = 1_000;
/** Events of one client that are sent before the next client's. */
const eventsMax = 200;

/**
 * Relays events to NATS JetStream in each client's order. One worker does it, by lease. The lease gives order, not correctness: every event is sent
 * under its id, which JetStream accepts once, and stays `pending` until JetStream has stored it.
 */
export function startEventRelay(
  models: EventModels,
  leases: LeaseModel,
  options: {
    nats: NatsSettings;
    /** Their events wait. */
    disabledClients: Pick<DisabledClients, "has" | "ids">;
    logger: Logger;
    clock: () => Date;
  },
): EventRelay {
  const { logger, clock, nats, disabledClients } = options;
  const owner = randomUUID();
  const stopping = new AbortController();
  const { sleep } = createInterruptibleSleep(stopping.signal);
  let relay: Relay | null = null;

  /** Relays some events of each client that has any. A refusal holds back only its client. */
  const round = async (to: Relay): Promise<{ count: number; isRefused: boolean }> => {
    let count = 0;
    let isRefused = false;
    for (const clientId of await clientsToRelay(models, amongMax, disabledClients.ids())) {
      if (stopping.signal.aborted) break;
      if (disabledClients.has(clientId)) continue;
      const events = await eventsToRelay(models, clientId, eventsMax);
      if (events.length === 0) continue;
      const relayed = await to.publish(events);
      if (relayed.length > 0) await markRelayed(models, clientId, relayed);
      count += relayed.length;
      if (relayed.length < events.length) {
        isRefused = true;
        logger.warn({ job: "relay-events", project_client_id: clientId }, "JetStream did not take every event");
      }
      const now = clock();
      if (!(await takeLease(leases, leaseName, owner, now, new Date(now.getTime() + leaseMs)))) break;
    }
    return { count, isRefused };
  };

  const step = async (): Promise<number> => {
    const now = clock();
    if (!(await takeLease(leases, leaseName, owner, now, new Date(now.getTime() + leaseMs)))) return failedMs;
    if (relay === null || relay.isClosed()) relay = await connectRelay(nats);
    const { count, isRefused } = await round(relay);
    if (isRefused) return failedMs;
    return count > 0 ? 0 : idleMs;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let ms = failedMs;
      try {
        ms = await step();
      } catch (error) {
        logger.warn({ err: error, job: "relay-events" }, "relaying failed");
      }
      if (ms === 0) continue;
      await sleep(ms);
    }
  };
  const done = loop();
  return {
    stop: async () => {
      stopping.abort();
      await done;
      await relay?.close();
      await giveUpLease(leases, leaseName, owner);
    },
  };
}

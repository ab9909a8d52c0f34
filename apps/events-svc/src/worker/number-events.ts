import { randomUUID } from "node:crypto";
import type { Logger } from "@platform/service-kit/process/logger";
import type { EventModels } from "../store/domain-event-model.ts";
import { findUnnumberedEvents, type KnownLog, numberEvents, takeOverLog } from "../store/number-events.ts";
import { isReplicaSet } from "../store/server-kind.ts";

const eventsMax = 2_000;
const clientsAtOnce = 8;
const clientsKnownMax = 10_000;
const leaseMs = 2_000;
const idleMs = 25;

export type EventNumbering = { stop(): Promise<void> };

/**
 * Gives published events their positions, shortly after they were acknowledged. Any number of processes may run it: a client stays with
 * the one that numbered it last until its lease of 2 s runs out. Correctness does not rest on the lease, nor on clocks. See
 * docs/decisions/0031-event-positions.md.
 */
export function startEventNumbering(
  models: EventModels,
  options: { logger: Logger; clock: () => Date },
): EventNumbering {
  const { logger, clock } = options;
  const owner = randomUUID();
  const known = new Map<string, KnownLog>();
  const stopping = new AbortController();
  let wake = (): void => {};

  /** Numbers what it can of one client's events; false when there is nothing for this process to do. */
  const numberClient = async (clientId: string, ids: readonly string[]): Promise<boolean> => {
    const log = known.get(clientId);
    known.delete(clientId);
    const after =
      log === undefined
        ? // Its events were read before the log was: they are numbered in the next round, read anew.
          await takeOverLog(models, clientId, owner, clock())
        : await numberEvents(models, clientId, log, ids, { owner, until: new Date(clock().getTime() + leaseMs) });
    if (after === null) return false;
    known.set(clientId, after);
    const oldest = known.size > clientsKnownMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return true;
  };

  const round = async (snapshot: boolean): Promise<boolean> => {
    const found = await findUnnumberedEvents(models, eventsMax, snapshot);
    const byClient = [...Map.groupBy(found, ({ clientId }) => clientId)];
    let hasWorked = false;
    for (let index = 0; index < byClient.length; index += clientsAtOnce) {
      const results = await Promise.all(
        byClient.slice(index, index + clientsAtOnce).map(([clientId, events]) =>
          numberClient(
            clientId,
            events.map(({ id }) => id),
          ),
        ),
      );
      hasWorked ||= results.includes(true);
    }
    return hasWorked;
  };

  const loop = async (): Promise<void> => {
    let snapshot: boolean | null = null;
    while (!stopping.signal.aborted) {
      let hasWorked = false;
      try {
        snapshot ??= await isReplicaSet(models.events.db);
        hasWorked = await round(snapshot);
      } catch (error) {
        known.clear();
        logger.error({ err: error, job: "number-events" }, "numbering failed");
      }
      if (hasWorked) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs * (0.8 + 0.4 * Math.random()));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const done = loop();
  return {
    stop: async () => {
      stopping.abort();
      wake();
      await done;
    },
  };
}

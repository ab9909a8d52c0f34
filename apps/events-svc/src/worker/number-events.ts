import { randomUUID } from "node:crypto";
import { createInterruptibleSleep } from "@platform/service-kit/jobs/interruptible-sleep";
import type { Logger } from "@platform/service-kit/process/logger";
import type { EventModels } from "../store/domain-event-model.ts";
import { findUnnumberedEvents, type KnownLog, numberEvents, takeOverLog } from "../store/number-events.ts";
import { isReplicaSet } from "../store/server-kind.ts";

const eventsMax = 2_000;
const clientsAtOnce = 8;
const clientsKnownMax = 10_000;
const leaseMs = 2_000;
/** Poll interval while events come, in milliseconds; events of one interval are numbered by the same three commands. */
const gatherMs = 20;
/** Poll interval when no event came for `activeMs` and none was announced. */
const idleMs = 250;
/** Longer than the interval of announcements. */
const activeMs = 1_000;

export type EventNumbering = {
  /** Tells it that events were published: polls at once, and frequently for a while. */
  notify(): void;
  stop(): Promise<void>;
};

/** Result of one round for a client. */
type Outcome = "numbered" | "to be read anew" | "another's";

/**
 * Numbers published events shortly after their acknowledgement. Any number of processes may run it: a client stays with its last numberer until that
 * lease of 2 s ends. Correctness depends neither on the lease nor on clocks. See docs/decisions/0031-event-positions.md.
 */
export function startEventNumbering(
  models: EventModels,
  options: {
    logger: Logger;
    clock: () => Date;
    /** Called when events have been numbered. */
    onNumbered?: () => void;
  },
): EventNumbering {
  const { logger, clock, onNumbered } = options;
  const owner = randomUUID();
  const known = new Map<string, KnownLog>();
  const stopping = new AbortController();
  const { sleep, wake } = createInterruptibleSleep(stopping.signal);
  let activeUntilMs = 0;

  /** Numbers what it can of one client's events. */
  const numberClient = async (clientId: string, ids: readonly string[]): Promise<Outcome> => {
    const log = known.get(clientId);
    known.delete(clientId);
    const after =
      log === undefined
        ? // Its events were read before the log: the next round reads and numbers them.
          await takeOverLog(models, clientId, owner, clock())
        : await numberEvents(models, clientId, log, ids, { owner, until: new Date(clock().getTime() + leaseMs) });
    if (after === null) return "another's";
    known.set(clientId, after);
    const oldest = known.size > clientsKnownMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return log === undefined ? "to be read anew" : "numbered";
  };

  /** Numbers what there is, and returns the wait until the next poll, in milliseconds. */
  const round = async (snapshot: boolean): Promise<number> => {
    const found = await findUnnumberedEvents(models, eventsMax, snapshot);
    const byClient = [...Map.groupBy(found, ({ clientId }) => clientId)];
    const outcomes = new Set<Outcome>();
    for (let index = 0; index < byClient.length; index += clientsAtOnce) {
      const results = await Promise.all(
        byClient.slice(index, index + clientsAtOnce).map(([clientId, events]) =>
          numberClient(
            clientId,
            events.map(({ id }) => id),
          ),
        ),
      );
      for (const outcome of results) outcomes.add(outcome);
    }
    if (outcomes.has("numbered")) onNumbered?.();
    if (outcomes.has("to be read anew") || (outcomes.has("numbered") && found.length === eventsMax)) return 0;
    if (outcomes.has("numbered")) activeUntilMs = performance.now() + activeMs;
    return performance.now() < activeUntilMs ? gatherMs : idleMs * (0.8 + 0.4 * Math.random());
  };

  const loop = async (): Promise<void> => {
    let snapshot: boolean | null = null;
    while (!stopping.signal.aborted) {
      let sleepMs = idleMs;
      try {
        snapshot ??= await isReplicaSet(models.events.db);
        sleepMs = await round(snapshot);
      } catch (error) {
        known.clear();
        logger.error({ err: error, job: "number-events" }, "numbering failed");
      }
      if (sleepMs > 0) await sleep(sleepMs);
    }
  };
  const done = loop();
  return {
    notify: () => {
      const isIdle = performance.now() >= activeUntilMs;
      activeUntilMs = performance.now() + activeMs;
      if (isIdle) wake();
    },
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

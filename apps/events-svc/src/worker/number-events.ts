import { randomUUID } from "node:crypto";
import { createRest } from "@platform/service-kit/jobs/rest";
import type { Logger } from "@platform/service-kit/process/logger";
import type { EventModels } from "../store/domain-event-model.ts";
import { findUnnumberedEvents, type KnownLog, numberEvents, takeOverLog } from "../store/number-events.ts";
import { isReplicaSet } from "../store/server-kind.ts";

const eventsMax = 2_000;
const clientsAtOnce = 8;
const clientsKnownMax = 10_000;
const leaseMs = 2_000;
/** Between two looks while events come, in milliseconds: what came meanwhile is numbered by the same three commands. */
const gatherMs = 20;
/** Between two looks when none have come for `activeMs` and nobody was announced. */
const idleMs = 250;
/** Longer than publishers are silent between two announcements. */
const activeMs = 1_000;

export type EventNumbering = {
  /** Events were published: they are looked for at once, and closely for a while. */
  nudge(): void;
  stop(): Promise<void>;
};

/** What a look at a client's events came to. */
type Outcome = "numbered" | "to be read anew" | "another's";

/**
 * Gives published events their positions, shortly after they were acknowledged. Any number of processes may run it: a client stays with
 * the one that numbered it last until its lease of 2 s runs out. Correctness does not rest on the lease, nor on clocks. See
 * docs/decisions/0031-event-positions.md.
 */
export function startEventNumbering(
  models: EventModels,
  options: {
    logger: Logger;
    clock: () => Date;
    /** Told when events have got their positions. */
    onNumbered?: () => void;
  },
): EventNumbering {
  const { logger, clock, onNumbered } = options;
  const owner = randomUUID();
  const known = new Map<string, KnownLog>();
  const stopping = new AbortController();
  const { rest, wake } = createRest(stopping.signal);
  let activeUntilMs = 0;

  /** Numbers what it can of one client's events. */
  const numberClient = async (clientId: string, ids: readonly string[]): Promise<Outcome> => {
    const log = known.get(clientId);
    known.delete(clientId);
    const after =
      log === undefined
        ? // Its events were read before the log was: they are numbered in the next round, read anew.
          await takeOverLog(models, clientId, owner, clock())
        : await numberEvents(models, clientId, log, ids, { owner, until: new Date(clock().getTime() + leaseMs) });
    if (after === null) return "another's";
    known.set(clientId, after);
    const oldest = known.size > clientsKnownMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return log === undefined ? "to be read anew" : "numbered";
  };

  /** Numbers what there is, and says how long to wait for more, in milliseconds. */
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
      let restMs = idleMs;
      try {
        snapshot ??= await isReplicaSet(models.events.db);
        restMs = await round(snapshot);
      } catch (error) {
        known.clear();
        logger.error({ err: error, job: "number-events" }, "numbering failed");
      }
      if (restMs > 0) await rest(restMs);
    }
  };
  const done = loop();
  return {
    nudge: () => {
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

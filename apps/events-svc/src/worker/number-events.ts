import { jittered, startPollLoop } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { partitionOf } from "../domain/partition.ts";
import type { EventModels } from "../store/domain-event-model.ts";
import {
  findUnnumberedEvents,
  type KnownLog,
  numberEvents,
  takeOverLog,
  type UnnumberedEvents,
} from "../store/number-events.ts";
import { isReplicaSet } from "../store/server-kind.ts";
import type { OwnPartitions } from "./own-partitions.ts";

/** Maximum number of events that are numbered before the next client is served. */
const batchMax = 500;
const clientsAtOnce = 8;
const clientsKnownMax = 10_000;
/**
 * Poll interval while events arrive, in milliseconds. All events that arrived in between are numbered by the same
 * three commands.
 */
const gatherMs = 20;
/** Poll interval after no events have arrived for `activeMs` and none were announced. */
const idleMs = 250;
/**
 * How long the worker polls frequently after the last event. It is longer than the interval between two announcements
 * of a publisher.
 */
const activeMs = 1_000;

export type EventNumbering = {
  /** Tells the worker that events were published: it polls immediately, and frequently for a while. */
  notify(): void;
  stop(): Promise<void>;
};

/** The partitions that this worker holds, each with its fencing token. */
type Held = ReadonlyMap<number, number>;

/** Result of a round. */
type Round = { readonly hasNumbered: boolean; readonly hasMore: boolean };

/**
 * Assigns positions to published events, shortly after they were acknowledged. Each worker serves the clients of its
 * partitions round robin, with a bounded batch for each, so that a backlog of one client does not delay the others.
 * Correctness depends neither on the leases of the partitions nor on clocks. See
 * docs/decisions/0031-event-positions.md.
 */
export function startEventNumbering(
  models: EventModels,
  options: {
    logger: Logger;
    partitions: Pick<OwnPartitions, "held">;
    /** Called when events have received their positions. */
    onNumbered?: () => void;
  },
): EventNumbering {
  const { logger, partitions, onNumbered } = options;
  const known = new Map<string, KnownLog>();
  let activeUntilMs = 0;

  /** Returns the cached state of a client's log, if it was read under this claim of its partition. */
  const knownLog = (clientId: string, fence: number): KnownLog | null => {
    const log = known.get(clientId);
    known.delete(clientId);
    return log?.fence === fence ? log : null;
  };
  const remember = (clientId: string, log: KnownLog): void => {
    known.set(clientId, log);
    const oldest = known.size > clientsKnownMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  };
  /** Executes one step for a client. @returns true if events were numbered; if not, another worker holds the client */
  const numberBatch = async (found: UnnumberedEvents, held: Held, isReplicaSet: boolean): Promise<boolean> => {
    const { clientId } = found;
    const fence = held.get(partitionOf(clientId)) ?? 0;
    let batch: UnnumberedEvents | undefined = found;
    let log = knownLog(clientId, fence);
    if (log === null) {
      log = await takeOverLog(models, clientId, fence);
      // The events were found before the log was read, so some may be part of its last batch.
      const options = { clients: { only: clientId }, limit: batchMax, isReplicaSet };
      [batch] = (await findUnnumberedEvents(models, new Set(held.keys()), options)).batches;
    }
    const after = log === null || batch === undefined ? log : await numberEvents(models, batch, log);
    if (after !== null) remember(clientId, after);
    return after !== null;
  };

  /** Runs one step for each client of the worker's partitions. */
  const numberAll = async (isSnapshot: boolean, signal: AbortSignal): Promise<Round> => {
    const held = partitions.held();
    const own = new Set(held.keys());
    let [hasNumbered, hasMore] = [false, false];
    let afterClient: string | null = held.size === 0 ? null : "";
    while (afterClient !== null && !signal.aborted) {
      const turns: UnnumberedEvents[] = [];
      while (afterClient !== null && turns.length < clientsAtOnce) {
        const page = await findUnnumberedEvents(models, own, {
          clients: { after: afterClient },
          limit: batchMax,
          isReplicaSet: isSnapshot,
        });
        turns.push(...page.batches);
        afterClient = page.next;
        hasMore ||= page.next !== null;
      }
      for (let index = 0; index < turns.length; index += clientsAtOnce) {
        const outcomes = await Promise.all(
          turns.slice(index, index + clientsAtOnce).map((batch) => numberBatch(batch, held, isSnapshot)),
        );
        hasNumbered ||= outcomes.includes(true);
      }
      if (hasNumbered) onNumbered?.();
    }
    return { hasNumbered, hasMore };
  };

  let isSnapshot: boolean | null = null;
  const loop = startPollLoop({
    round: async (signal) => {
      isSnapshot ??= await isReplicaSet(models.events.db);
      const { hasNumbered, hasMore } = await numberAll(isSnapshot, signal);
      if (hasNumbered) activeUntilMs = performance.now() + activeMs;
      const isActive = performance.now() < activeUntilMs;
      return hasMore ? 0 : isActive ? gatherMs : jittered(idleMs);
    },
    failed: (error) => {
      known.clear();
      logger.error({ err: error, job: "number-events" }, "events could not be numbered");
      return idleMs;
    },
  });
  return {
    notify: () => {
      const isIdle = performance.now() >= activeUntilMs;
      activeUntilMs = performance.now() + activeMs;
      if (isIdle) loop.wake();
    },
    stop: loop.stop,
  };
}

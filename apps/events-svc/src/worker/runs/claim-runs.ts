import {
  claimTaken,
  createSemaphore,
  type Release,
  type Semaphore,
  type Taken,
  type Turns,
  takeRoundRobin,
} from "@platform/kit/jobs/pacing";
import type { SubscriptionStatus } from "../../domain/subscription.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import type { ClaimedRun, OperationOfClient, RunCandidate, RunQueue } from "../../store/run-queue.ts";
import { createBacklogSearch } from "./search-backlog.ts";

/** A claimed run with its operation or subscription. */
export type ClaimedWork = {
  readonly run: ClaimedRun;
  /** Undefined if the operation is disabled or no longer exists. */
  readonly operation: CallableOperation | undefined;
  /** Undefined if the subscription was deleted, or if the run belongs to none. */
  readonly subscription: SubscriptionStatus | undefined;
};

/** A claimed run with its permit. */
export type ClaimedCall = ClaimedWork & { readonly release: Release };

/** Limits of one worker. */
export type CallLimits = {
  /** Maximum number of concurrent calls. */
  readonly total: number;
  /** Maximum number of concurrent calls of one operation, so that a target is not overloaded. */
  readonly perOperation: number;
  /**
   * Maximum number of concurrent calls that deliver events to one operation. It is higher, because events arrive in
   * bursts.
   */
  readonly perSubscribed: number;
  /** Maximum number of concurrent calls of one client, even if the worker has free capacity. */
  readonly perClient: number;
  /**
   * Maximum size of the events of concurrent calls together, in bytes. A body has up to 1 MiB, and a worker sends many
   * calls concurrently.
   */
  readonly eventBytes: number;
};

/**
 * The default limits. They are much higher than the number of calls in flight, because a run holds its permit from
 * the claim until the target has responded, and the call itself is usually the smallest part of that time.
 */
export const callLimits: CallLimits = {
  total: 2_048,
  perOperation: 4,
  perSubscribed: 16,
  perClient: 1_024,
  eventBytes: 64 * 1024 * 1024,
};

/** Maximum number of runs that are read for one claim, and maximum number that one claim takes. */
const windowMax = 500;
const claimedMax = 400;
/**
 * Wait in milliseconds before the window is read again if none of its runs could be claimed, unless a permit is
 * released before. Otherwise the runs of a target that hangs would be read in vain fifty times per second. A window
 * that is not full is read again after at most 100 ms, because new runs appear in it. New runs beyond a full window
 * are found by the search, so it is read again only after half a second.
 */
const sleepMsAfter = (read: number): number => (read === windowMax ? 500 : Math.min(read, 100));
/**
 * Minimum time in milliseconds between two searches beyond the window. A search sends up to 64 commands one after the
 * other, so it must not follow every claim of a busy worker.
 */
const beyondMs = 100;

/** Returns the maximum number of concurrent calls under a key. */
export const callsMaxOf =
  ({ perSubscribed, perOperation }: CallLimits) =>
  (key: string): number =>
    key.startsWith(ofEvents) ? perSubscribed : perOperation;

/**
 * Creates the permits of claims. If n clients are active, each has at most 1/(n+1) of the permits, so that a client
 * whose targets all hang leaves some for the next client.
 * @param aheadOf returns how many runs may be claimed under a key in addition to those that may be called
 */
export function createCallPermits(limits: CallLimits, aheadOf: Turns["aheadOf"]): Semaphore<"client" | "operation"> {
  const { total, perClient } = limits;
  const callsMax = callsMaxOf(limits);
  const share = (clients: number): number => Math.max(1, Math.min(perClient, Math.floor(total / (clients + 1))));
  return createSemaphore({
    total,
    by: {
      client: (_client, clients) => share(clients),
      operation: (key) => callsMax(key) + aheadOf(key),
    },
  });
}

const ofEvents = "events ";

/**
 * Key of the permits and turns of an operation. The calls that deliver events have a key of their own, separate from
 * those of the schedule.
 */
export const permitKeyOf = ({ operationId, isOfEvent = false }: Omit<OperationOfClient, "clientId">): string =>
  isOfEvent ? `${ofEvents}${operationId}` : operationId;

type ClaimSources = {
  /** Returns whether an operation has currently used up its maximum number of calls per second. */
  readonly isFull: (operationId: string) => boolean;
  readonly findCallable: (ids: readonly string[]) => Promise<Map<string, CallableOperation>>;
  readonly statusesOf: (subscriptionIds: readonly string[]) => Promise<Map<string, SubscriptionStatus>>;
};

/**
 * Creates the function that claims as many runs as there are permits, fairly between clients. It reads the runs that
 * have been due for longest. If their clients or operations have no permits, it also examines other operations, with
 * one index seek each, so that a backlog never hides other runs.
 */
export function createRunClaimer(
  queue: RunQueue,
  permits: Semaphore<"client" | "operation">,
  { findCallable, statusesOf, isFull }: ClaimSources,
): (limit: number) => Promise<ClaimedCall[]> {
  let beyondAtMs = Number.NEGATIVE_INFINITY;
  /** Time until which no run of the window can be claimed, unless a permit is released. */
  let sleepUntilMs = Number.NEGATIVE_INFINITY;
  let heldAtSleep = 0;
  let isWindowFull = false;

  const take = (waiting: readonly RunCandidate[], most: number): Taken<RunCandidate>[] =>
    takeRoundRobin(waiting, {
      queueOf: ({ clientId }) => clientId,
      acquire: (run) =>
        isFull(run.operationId) ? null : permits.tryAcquire({ client: run.clientId, operation: permitKeyOf(run) }),
      most,
    });
  const searchBacklog = createBacklogSearch(queue, {
    isFree: ({ clientId }) => permits.freeFor("client", clientId) > 0,
    freeFor: (operation) => (isFull(operation.operationId) ? 0 : permits.freeFor("operation", permitKeyOf(operation))),
  });
  const pick = async (most: number): Promise<Taken<RunCandidate>[]> => {
    const taken: Taken<RunCandidate>[] = [];
    let inWindow = new Set<string>();
    if (performance.now() >= sleepUntilMs || permits.held() < heldAtSleep) {
      const window = await queue.findDue(windowMax);
      isWindowFull = window.length === windowMax;
      inWindow = new Set(window.map(permitKeyOf));
      // A full window is taken in random order, because all workers would compete for the same runs otherwise.
      taken.push(...take(isWindowFull ? shuffled(window) : window, most));
      sleepUntilMs = performance.now() + (taken.length === 0 ? sleepMsAfter(window.length) : 0);
      heldAtSleep = permits.held();
    }
    const nowMs = performance.now();
    if (isWindowFull && taken.length < most / 2 && nowMs - beyondAtMs >= beyondMs) {
      beyondAtMs = nowMs;
      const known = new Set(taken.map(({ item }) => item.id));
      const found = await searchBacklog((operation) => inWindow.has(permitKeyOf(operation)));
      const beyond = found.filter(({ id }) => !known.has(id));
      const more = take(beyond, most - taken.length);
      // They are added, because another permit may have been released during the search.
      heldAtSleep += more.length;
      taken.push(...more);
    }
    return taken;
  };

  return async (limit) => {
    const taken = await pick(Math.min(limit, claimedMax));
    if (taken.length === 0) return [];
    const operationIds = [...new Set(taken.map(({ item }) => item.operationId))];
    // Operations are read at the same time as the claim is written, and not cached, because an operation may change
    // at any time.
    const [claimed, operations] = await Promise.all([
      claimTaken(taken, queue.claim, ({ document }) => document._id),
      findCallable(operationIds),
    ]);
    try {
      const subscriptionIds = claimed.flatMap(({ item }) => item.document.subscription_id ?? []);
      const statuses = await statusesOf([...new Set(subscriptionIds)]);
      return claimed.map(({ item: run, release }) => {
        const { operation_id: operationId, subscription_id: subscriptionId } = run.document;
        const subscription = subscriptionId === undefined ? undefined : statuses.get(subscriptionId);
        return { run, operation: operations.get(operationId), subscription, release };
      });
    } catch (error) {
      for (const { release } of claimed) release();
      throw error;
    }
  };
}

/** The items in random order (Fisher and Yates). */
function shuffled<T>(items: readonly T[]): T[] {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}

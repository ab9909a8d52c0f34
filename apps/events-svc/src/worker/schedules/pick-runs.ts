import type { RunCandidate } from "../../store/claim-runs.ts";

/** Limits of one worker. */
export type CallLimits = {
  /** Calls under way at once. */
  readonly total: number;
  /** Of one operation, so that a target is not overrun. */
  readonly perOperation: number;
  /** Of one operation that is called for events, which come in numbers. */
  readonly perSubscribed: number;
  /** Of one client at most, however free the worker is. */
  readonly perClient: number;
};

/** A run has its place from its claim until its outcome is written, of which the call itself is usually the least. */
export const callLimits: CallLimits = { total: 2_048, perOperation: 4, perSubscribed: 16, perClient: 1_024 };

/** What is under way in this worker, counted by client and by operation. */
export type CallsUnderWay = {
  /** Takes a place for a run if its operation and its client have one left, and it has none yet. */
  take(candidate: RunCandidate): boolean;
  /** Gives back the run's place, if it has one. */
  giveBack(candidate: RunCandidate): void;
  /** Has the run a place? */
  holds(runId: string): boolean;
  free(): number;
  /** How many more runs of an operation could be taken, those of schedules or those of events. */
  freeOf(operationId: string, isOfEvent?: boolean): number;
  /** Has the client less than its share, so that a run of an operation with a place could be taken? */
  hasPlaceFor(clientId: string): boolean;
};

/**
 * Counts calls under way, each run once: one counted twice would give back one place and keep the other for good. A client's share shrinks
 * as more clients call: with n of them each has at most 1/(n+1) of the places, so that one whose targets all hang never holds the place of
 * the next who comes.
 */
export function countCalls(limits: CallLimits): CallsUnderWay {
  const byClient = new Map<string, number>();
  const byOperation = new Map<string, number>();
  const held = new Set<string>();
  const add = (counts: Map<string, number>, key: string, change: number): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  const mostOf = (isOfEvent = false): number => (isOfEvent ? limits.perSubscribed : limits.perOperation);
  const share = (): number => Math.max(1, Math.min(limits.perClient, Math.floor(limits.total / (byClient.size + 1))));
  return {
    take: (candidate) => {
      if (held.size >= limits.total || held.has(candidate.id)) return false;
      if ((byOperation.get(candidate.operationId) ?? 0) >= mostOf(candidate.isOfEvent)) return false;
      if ((byClient.get(candidate.clientId) ?? 0) >= share()) return false;
      add(byClient, candidate.clientId, 1);
      add(byOperation, candidate.operationId, 1);
      held.add(candidate.id);
      return true;
    },
    giveBack: ({ id, clientId, operationId }) => {
      if (!held.delete(id)) return;
      add(byClient, clientId, -1);
      add(byOperation, operationId, -1);
    },
    holds: (runId) => held.has(runId),
    free: () => limits.total - held.size,
    hasPlaceFor: (clientId) => held.size < limits.total && (byClient.get(clientId) ?? 0) < share(),
    freeOf: (operationId, isOfEvent) => mostOf(isOfEvent) - (byOperation.get(operationId) ?? 0),
  };
}

/** Takes places for candidates, one of each client in turn; answers those that got one. */
export function pickFairly(candidates: readonly RunCandidate[], calls: CallsUnderWay, most: number): RunCandidate[] {
  const queues = [...Map.groupBy(candidates, ({ clientId }) => clientId).values()];
  const picked: RunCandidate[] = [];
  for (let turn = 0; picked.length < most; turn += 1) {
    let hasMore = false;
    for (const queue of queues) {
      const candidate = queue[turn];
      if (candidate === undefined) continue;
      hasMore = true;
      if (picked.length < most && calls.take(candidate)) picked.push(candidate);
    }
    if (!hasMore) break;
  }
  return picked;
}

import {
  findClaimable,
  findClaimableOf,
  nextClientWithRuns,
  nextOperationOfClient,
  type OperationOfClient,
  type RunCandidate,
} from "../../store/claim-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { type CallsUnderWay, pickFairly } from "./pick-runs.ts";

/** Where a worker looks for runs that it may take. */
export type CandidateFinder = {
  /** Takes places for at most so many runs and answers them. */
  pick(now: Date, most: number): Promise<RunCandidate[]>;
  /** Were there runs at the last look that found no place? Then a place that becomes free is worth another. */
  hasMore(): boolean;
  /** What is kept is out of date: another worker has taken much of it. */
  forget(): void;
};

const windowMax = 800;
/** Full windows that are mixed after another worker was seen to take from one. */
const mixedMax = 50;
/** Operations looked at in one round. */
const roundMax = 64;
/** Least time between two rounds, and between two looks at a full window in which no run finds a place, in milliseconds. */
const restMs = 100;
/** Longest a window is used without a look at what else has come to wait, in milliseconds. */
const usedMs = 400;

/**
 * Looks at the runs that wait longest, in windows that are kept until they are used up: most looks cost nothing. When what is kept is of
 * operations or clients that have all the calls they may have, it goes on round the operations of the clients that have not, beside the
 * claims and one seek each, so that a backlog of one never hides the runs of another.
 * @param onFound told when a round has found runs
 */
export function createCandidateFinder(
  models: ScheduleModels,
  calls: CallsUnderWay,
  onFound: () => void,
): CandidateFinder {
  const kept = new Map<string, RunCandidate>();
  // What has a place is as good as claimed: a look beside it still finds it.
  const keep = (candidate: RunCandidate): boolean => {
    if (calls.holds(candidate.id)) return false;
    kept.set(candidate.id, candidate);
    return true;
  };
  let mixed = 0;
  let isFull = false;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let roundAtMs = Number.NEGATIVE_INFINITY;
  let at: OperationOfClient = { clientId: "", operationId: "" };

  const take = (most: number): RunCandidate[] => {
    const picked = pickFairly([...kept.values()], calls, most);
    for (const { id } of picked) kept.delete(id);
    return picked;
  };
  const goRound = async (now: Date): Promise<void> => {
    // As it is now: places they free meanwhile are filled from the window.
    const full = new Set([...kept.values()].map(({ clientId }) => clientId).filter((id) => !calls.hasPlaceFor(id)));
    let found = 0;
    for (let looked = 0; looked < roundMax; looked += 1) {
      const ofSame = full.has(at.clientId) ? null : await nextOperationOfClient(models, at);
      const next = ofSame ?? (await nextClientWithRuns(models, at.clientId));
      at = next ?? { clientId: "", operationId: "" };
      if (next === null) break;
      const free = full.has(next.clientId) ? 0 : calls.freeOf(next.operationId, next.isOfEvent);
      if (free <= 0) continue;
      for (const candidate of await findClaimableOf(models, next, now, free)) {
        if (keep(candidate)) found += 1;
      }
    }
    if (found > 0) onFound();
  };
  const look = async (now: Date): Promise<void> => {
    lookedAtMs = performance.now();
    const window = await findClaimable(models, now, windowMax);
    isFull = window.length === windowMax;
    kept.clear();
    // In one order all workers would take the same runs, and most of them in vain. All of the window are among those that wait longest.
    if (isFull && mixed > 0) {
      mixed -= 1;
      mix(window);
    }
    for (const candidate of window) keep(candidate);
  };

  return {
    hasMore: () => isFull || kept.size > 0,
    forget: () => {
      mixed = mixedMax;
      kept.clear();
      lookedAtMs = Number.NEGATIVE_INFINITY;
    },
    pick: async (now, most) => {
      const picked = take(most);
      const wanted = most - picked.length;
      const nowMs = performance.now();
      // What is kept is all there was when it is no full window: new runs are looked for as soon as places are.
      const isFresh = isFull && kept.size > 0 && nowMs - lookedAtMs < (picked.length > 0 ? usedMs : restMs);
      if (wanted > 0 && !isFresh) {
        try {
          await look(now);
          picked.push(...take(wanted));
        } catch (error) {
          for (const candidate of picked) calls.giveBack(candidate);
          throw error;
        }
      }
      if (isFull && picked.length < most / 2 && nowMs - roundAtMs >= restMs) {
        roundAtMs = nowMs;
        // Beside the claims, which do not wait for it; one that fails is made up for by the next.
        void goRound(now).catch(() => undefined);
      }
      return picked;
    },
  };
}

/** Puts a list in any order (Fisher and Yates). */
function mix(list: RunCandidate[]): void {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other] as RunCandidate, list[at] as RunCandidate];
  }
}

import type { Keyring } from "@platform/service-kit/secrets/sealed";
import {
  type ClaimedRun,
  claimRuns,
  findClaimable,
  findClaimableOf,
  nextOperationWithRuns,
  type RunCandidate,
} from "../../store/claim-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { type CallableOperation, findCallable } from "../../store/scheduled-operations.ts";
import { type CallsUnderWay, pickFairly } from "./pick-runs.ts";

/** A claimed run with the operation it is of; undefined when that is gone. */
export type ClaimedWork = { readonly run: ClaimedRun; readonly callable: CallableOperation | undefined };

export type WorkClaimer = {
  claim(most: number): Promise<readonly ClaimedWork[]>;
  /** Were there runs at the last claim that found no place? Then a place that becomes free is worth another look. */
  hasMore(): boolean;
};

/** Longer than any call may take, so that a lease need not be renewed while one is under way. */
const leaseMs = 30_000;
const batchMax = 200;
const windowMax = 4 * batchMax;
/** Operations looked at in one sweep. */
const sweepMax = 64;

/**
 * Claims runs fairly. It looks at those that wait longest; when they are mostly of operations or clients that have all the calls they may
 * have, it goes on round the operations, one seek each, so that a backlog of one never hides the runs of another.
 */
export function createWorkClaimer(
  models: ScheduleModels,
  options: { keyring: Keyring; calls: CallsUnderWay; clock: () => Date },
): WorkClaimer {
  const { calls, clock, keyring } = options;
  let sweptTo = "";
  let hasMore = false;

  const sweep = async (now: Date, most: number): Promise<RunCandidate[]> => {
    const picked: RunCandidate[] = [];
    for (let looked = 0; looked < sweepMax && picked.length < most; looked += 1) {
      const operationId = await nextOperationWithRuns(models, sweptTo);
      sweptTo = operationId ?? "";
      if (operationId === null) break;
      const free = calls.freeOf(operationId);
      if (free <= 0) continue;
      const candidates = await findClaimableOf(models, operationId, now, free);
      picked.push(...pickFairly(candidates, calls, most - picked.length));
    }
    return picked;
  };

  const pick = async (now: Date, most: number): Promise<RunCandidate[]> => {
    const window = await findClaimable(models, now, windowMax);
    const picked = pickFairly(window, calls, most);
    hasMore = picked.length < window.length;
    if (window.length < windowMax || picked.length >= most / 2) return picked;
    const ids = new Set(picked.map(({ id }) => id));
    const swept = await sweep(now, most - picked.length);
    for (const candidate of swept) {
      // It took a place twice when the sweep came upon a run of the window.
      if (ids.has(candidate.id)) calls.giveBack(candidate);
      else picked.push(candidate);
    }
    return picked;
  };

  return {
    hasMore: () => hasMore,
    claim: async (limit) => {
      const now = clock();
      const picked = await pick(now, Math.min(limit, batchMax));
      let claimed: readonly ClaimedRun[] = [];
      try {
        claimed = await claimRuns(models, picked, now, new Date(now.getTime() + leaseMs));
        const operationIds = new Set(claimed.map(({ operation_id }) => operation_id));
        const callables = await findCallable(models, keyring, [...operationIds]);
        const taken = new Set(claimed.map(({ _id }) => _id));
        for (const candidate of picked) if (!taken.has(candidate.id)) calls.giveBack(candidate);
        return claimed.map((run) => ({ run, callable: callables.get(run.operation_id) }));
      } catch (error) {
        for (const candidate of picked) calls.giveBack(candidate);
        throw error;
      }
    },
  };
}

import type { SubscriptionStatus } from "../../domain/subscription.ts";
import type { CallableFinder, CallableOperation } from "../../store/callable-operations.ts";
import { type ClaimedRun, claimRuns } from "../../store/claim-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { createCandidateFinder } from "./find-candidates.ts";
import { createPlaceGatherer } from "./gather-places.ts";
import type { CallsUnderWay } from "./pick-runs.ts";

/** A claimed run with what it is of. */
export type ClaimedWork = {
  readonly run: ClaimedRun;
  /** Undefined when it is disabled or gone. */
  readonly operation: CallableOperation | undefined;
  /** Undefined when it is deleted, and for a run that is of none. */
  readonly subscription: SubscriptionStatus | undefined;
};

export type WorkClaimer = {
  claim(most: number): Promise<readonly ClaimedWork[]>;
  /** Were there runs at the last claim that found no place? Then a place that becomes free is worth another look. */
  hasMore(): boolean;
  /** Told that a call is over. */
  placeFreed(): void;
};

/** Longer than any call may take, so that a lease need not be renewed while one is under way. */
const leaseMs = 30_000;
const batchMax = 200;

/**
 * Claims as many runs as there are places for, by one update and one read for all of them.
 * @param onFound told when there is something to claim without a place having become free
 */
export function createWorkClaimer(
  models: ScheduleModels,
  options: {
    findCallable: CallableFinder;
    statusesOf: (subscriptionIds: readonly string[]) => Promise<Map<string, SubscriptionStatus>>;
    calls: CallsUnderWay;
    clock: () => Date;
    onFound: () => void;
  },
): WorkClaimer {
  const { calls, clock, findCallable, statusesOf } = options;
  const candidates = createCandidateFinder(models, calls, options.onFound);
  const places = createPlaceGatherer();
  return {
    hasMore: candidates.hasMore,
    placeFreed: places.placeFreed,
    claim: async (limit) => {
      await places.gathered(candidates.hasMore());
      const now = clock();
      const picked = await candidates.pick(now, Math.min(limit, batchMax));
      if (picked.length === 0) return [];
      try {
        const operationIds = [...new Set(picked.map(({ operationId }) => operationId))];
        // Asked before the claim is written: an operation found enabled was so a moment before its run was taken, as it would be after.
        const [claimed, operations] = await Promise.all([
          claimRuns(models, picked, now, new Date(now.getTime() + leaseMs)),
          findCallable(operationIds),
        ]);
        const taken = new Set(claimed.map(({ _id }) => _id));
        for (const candidate of picked) if (!taken.has(candidate.id)) calls.giveBack(candidate);
        if (claimed.length < picked.length * 0.75) candidates.forget();
        const statuses = await statusesOf([...new Set(claimed.flatMap((run) => run.subscription_id ?? []))]);
        return claimed.map((run) => ({
          run,
          operation: operations.get(run.operation_id),
          subscription: run.subscription_id === undefined ? undefined : statuses.get(run.subscription_id),
        }));
      } catch (error) {
        for (const candidate of picked) calls.giveBack(candidate);
        throw error;
      }
    },
  };
}

import { type Claim, createLeaseQueue, type LeaseUpdate } from "@platform/kit/jobs/work";
import { defined } from "@platform/kit/process/fields";
import { collectionOf, withFact } from "@platform/kit/store/documents";
import type { PlatformFact } from "@platform/operator-plane/platform-events";
import type { RunAttempt, RunState } from "../domain/scheduled-run.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

/** A run that may be claimed. */
export type RunCandidate = {
  readonly id: string;
  readonly clientId: string;
  readonly operationId: string;
  /** True if the run delivers an event for a subscription. */
  readonly isOfEvent?: boolean;
};

/** A run that a worker has claimed under a lease. Its earlier attempts are not loaded. */
export type ClaimedRun = Claim<Omit<ScheduledRunDocument, "attempts">>;

/** Result of a claimed run. */
export type Settlement = {
  readonly state: Exclude<RunState, "running">;
  /** Time from which it can be claimed again; null if the run has ended. */
  readonly claimableAt: Date | null;
  /** The attempt, if there was one. */
  readonly attempt: RunAttempt | null;
  /** Reason why it has ended, if no attempt gives one. */
  readonly error?: string;
  /** Platform event that is stored by the same write. */
  readonly fact?: PlatformFact | null;
};

/** An operation of a client: the position of the round robin over operations. */
export type OperationOfClient = Omit<RunCandidate, "id">;

export type RunQueue = ReturnType<typeof createRunQueue>;

/**
 * Duration of a run's lease, in milliseconds. It is longer than any call may take, so that the lease does not have to
 * be renewed during a call.
 */
export const runLeaseMs = 30_000;
const attemptsKept = 200;

/** Creates the queue from which workers claim the runs of scheduled operations. */
export function createRunQueue({ runs }: ScheduleModels, clock: () => Date) {
  const queue = createLeaseQueue<Omit<ScheduledRunDocument, "attempts">>(runs, {
    clock,
    leaseMs: runLeaseMs,
    due: "claimable_at",
    claim: "claim",
    held: { state: "running" },
    onClaim: () => ({ state: "running" }),
    unread: ["attempts"],
  });
  /**
   * Finds runs through the driver and in one batch, because mongoose, or a second round trip for more than a hundred
   * documents, would cost more than the query.
   */
  const find = async (
    condition: object,
    sort: Readonly<Record<string, 1 | -1>>,
    limit: number,
  ): Promise<RunCandidate[]> => {
    const projection = { _id: 1, project_client_id: 1, operation_id: 1, subscription_id: 1 };
    const found = collectionOf(runs).find(condition, {
      projection,
      sort,
      limit,
      batchSize: limit + 1,
    });
    return ((await found.toArray()) as ScheduledRunDocument[]).map((run) => ({
      id: run._id,
      clientId: run.project_client_id,
      operationId: run.operation_id,
      isOfEvent: run.subscription_id !== undefined,
    }));
  };
  const isDue = () => ({ claimable_at: { $lte: clock() } });
  /** Finds the first operation with unfinished runs by a single index seek, however many runs there are. */
  const firstOperation = async (condition: object): Promise<OperationOfClient | null> => {
    const order = { project_client_id: 1, operation_id: 1, claimable_at: 1 } as const;
    return (await find({ ...condition, claimable_at: { $exists: true } }, order, 1))[0] ?? null;
  };
  return {
    claim: queue.claimMany,
    isHeld: queue.isHeld,
    leave: queue.leave,
    /** Writes the result of a run, unless its lease was lost. Writing it twice changes nothing. */
    settle: (run: ClaimedRun, settlement: Settlement): Promise<void> => queue.settleTogether(run, updateOf(settlement)),
    /** The runs that may be claimed now, those that have waited longest first. */
    findDue: (limit: number) => find(isDue(), { claimable_at: 1 }, limit),
    findDueOf: ({ clientId, operationId }: OperationOfClient, limit: number) =>
      find({ project_client_id: clientId, operation_id: operationId, ...isDue() }, { claimable_at: 1 }, limit),
    /** The client's next operation that has unfinished runs. */
    nextOperation: ({ clientId, operationId }: OperationOfClient) =>
      firstOperation({ project_client_id: clientId, operation_id: { $gt: operationId } }),
    /** The first operation with unfinished runs of the next client. */
    nextClient: (clientId: string) => firstOperation({ project_client_id: { $gt: clientId } }),
  };
}

function updateOf({ state, claimableAt, attempt, error, fact = null }: Settlement): LeaseUpdate {
  const update: LeaseUpdate = {
    $set: {
      state,
      ...defined({ claimable_at: claimableAt, error }),
    },
    $unset: claimableAt === null ? { claimable_at: "", unsettled: "" } : {},
    ...(attempt === null
      ? {}
      : {
          $inc: { attempt_count: 1, tries_made: 1, tries_left: -1 },
          $push: { attempts: { $each: [attempt], $slice: -attemptsKept } },
        }),
  };
  return withFact(update, fact);
}

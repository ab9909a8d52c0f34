import { randomUUID } from "node:crypto";
import { createCoalescer } from "@platform/service-kit/mongo/coalesce";
import type { RunAttempt, RunState } from "../domain/scheduled-run.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

/** A run that may be taken. */
export type RunCandidate = { readonly id: string; readonly clientId: string; readonly operationId: string };

/** A run a worker holds until its lease ends. */
export type ClaimedRun = ScheduledRunDocument & { readonly claim: string };

const attemptsKept = 200;
const candidateFields = { _id: 1, project_client_id: 1, operation_id: 1 } as const;

const toCandidate = (document: ScheduledRunDocument): RunCandidate => ({
  id: document._id,
  clientId: document.project_client_id,
  operationId: document.operation_id,
});

/** The runs that may be taken now, longest waiting first. */
export async function findClaimable({ runs }: ScheduleModels, now: Date, limit: number): Promise<RunCandidate[]> {
  const found = await runs
    .find({ claimable_at: { $lte: now } }, candidateFields)
    .sort({ claimable_at: 1 })
    .limit(limit)
    .lean<ScheduledRunDocument[]>();
  return found.map(toCandidate);
}

/** The runs of one operation that may be taken now, longest waiting first. */
export async function findClaimableOf(
  { runs }: ScheduleModels,
  operationId: string,
  now: Date,
  limit: number,
): Promise<RunCandidate[]> {
  const found = await runs
    .find({ operation_id: operationId, claimable_at: { $lte: now } }, candidateFields)
    .sort({ claimable_at: 1 })
    .limit(limit)
    .lean<ScheduledRunDocument[]>();
  return found.map(toCandidate);
}

/** The operation after another that has runs which are not over: one seek in the index, however many runs lie between. */
export async function nextOperationWithRuns(
  { runs }: ScheduleModels,
  afterOperationId: string,
): Promise<string | null> {
  const found = await runs
    .findOne({ operation_id: { $gt: afterOperationId }, claimable_at: { $exists: true } }, { operation_id: 1 })
    .sort({ operation_id: 1, claimable_at: 1 })
    .lean<Pick<ScheduledRunDocument, "operation_id"> | null>();
  return found?.operation_id ?? null;
}

/**
 * Takes runs until `leasedUntil`. Another worker may have taken some of them: those are left out.
 */
export async function claimRuns(
  { runs }: ScheduleModels,
  candidates: readonly RunCandidate[],
  now: Date,
  leasedUntil: Date,
): Promise<ClaimedRun[]> {
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ id }) => id);
  const claim = randomUUID();
  const { modifiedCount } = await runs.collection.updateMany(
    { _id: { $in: ids }, claimable_at: { $lte: now } } as never,
    { $set: { state: "running", claim, claimable_at: leasedUntil } },
  );
  if (modifiedCount === 0) return [];
  return runs.find({ _id: { $in: ids }, claim }).lean<ClaimedRun[]>();
}

/** How a claimed run goes on. */
export type Settlement = {
  readonly run: ClaimedRun;
  readonly state: Exclude<RunState, "running">;
  /** When it may be taken again; null when it is over. */
  readonly claimableAt: Date | null;
  /** The try that was made, if one was. */
  readonly attempt: RunAttempt | null;
  /** Why it is over, when no try says so. */
  readonly error?: string;
};

/** Writes what came of claimed runs, those of one turn by one command. A run whose lease was lost is left to its new holder. */
export function createRunSettler({ runs }: ScheduleModels): (settlement: Settlement) => Promise<void> {
  return createCoalescer<Settlement>(
    async (settlements) => {
      await runs.collection.bulkWrite(settlements.map((settlement) => ({ updateOne: writeOf(settlement) })) as never, {
        ordered: false,
      });
      return new Map();
    },
    { itemsMax: 500, callsMax: 4 },
  );
}

function writeOf({ run, state, claimableAt, attempt, error }: Settlement) {
  return {
    filter: { _id: run._id, claim: run.claim },
    update: {
      $set: {
        state,
        ...(claimableAt === null ? {} : { claimable_at: claimableAt }),
        ...(error === undefined ? {} : { error }),
      },
      $unset: { claim: "", ...(claimableAt === null ? { claimable_at: "" } : {}) },
      ...(attempt === null
        ? {}
        : {
            $inc: { attempt_count: 1, tries_made: 1, tries_left: -1 },
            $push: { attempts: { $each: [attempt], $slice: -attemptsKept } },
          }),
    },
  };
}

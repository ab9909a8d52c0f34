import { randomUUID } from "node:crypto";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

/** A run that may be taken. */
export type RunCandidate = {
  readonly id: string;
  readonly clientId: string;
  readonly operationId: string;
  /** Does it call out an event for a subscription? */
  readonly isOfEvent?: boolean;
};

/** A run a worker holds until its lease ends, at `claimable_at`. The tries before it are not read with it. */
export type ClaimedRun = Omit<ScheduledRunDocument, "attempts" | "claimable_at"> & {
  readonly claim: string;
  readonly claimable_at: Date;
};

/** An operation of a client: where a round of the operations stands. */
export type OperationOfClient = Omit<RunCandidate, "id">;

const candidateFields = { _id: 1, project_client_id: 1, operation_id: 1, subscription_id: 1 } as const;

const toCandidate = (document: Omit<ScheduledRunDocument, "attempts">): RunCandidate => ({
  id: document._id,
  clientId: document.project_client_id,
  operationId: document.operation_id,
  isOfEvent: document.subscription_id !== undefined,
});

/** The runs that may be taken now, longest waiting first. */
export async function findClaimable(models: ScheduleModels, now: Date, limit: number): Promise<RunCandidate[]> {
  return findCandidates(models, { claimable_at: { $lte: now } }, limit);
}

/** The runs of one operation that may be taken now, longest waiting first. */
export async function findClaimableOf(
  models: ScheduleModels,
  { clientId, operationId }: OperationOfClient,
  now: Date,
  limit: number,
): Promise<RunCandidate[]> {
  const condition = { project_client_id: clientId, operation_id: operationId, claimable_at: { $lte: now } };
  return findCandidates(models, condition, limit);
}

/** By the driver, in one batch: mongoose and a second round trip for what is above a hundred cost more than the look itself. */
async function findCandidates({ runs }: ScheduleModels, condition: object, limit: number): Promise<RunCandidate[]> {
  const found = await runs.collection
    .find(condition as never, { projection: candidateFields, sort: { claimable_at: 1 }, limit, batchSize: limit + 1 })
    .toArray();
  return (found as unknown as ScheduledRunDocument[]).map(toCandidate);
}

/** The client's operation after another that has runs which are not over: one seek in the index, however many runs lie between. */
export async function nextOperationOfClient(
  models: ScheduleModels,
  { clientId, operationId }: OperationOfClient,
): Promise<OperationOfClient | null> {
  return firstOperation(models, { project_client_id: clientId, operation_id: { $gt: operationId } });
}

/** The first operation with runs that are not over of the clients after another: one seek as well. */
export async function nextClientWithRuns(
  models: ScheduleModels,
  afterClientId: string,
): Promise<OperationOfClient | null> {
  return firstOperation(models, { project_client_id: { $gt: afterClientId } });
}

async function firstOperation({ runs }: ScheduleModels, condition: object): Promise<OperationOfClient | null> {
  const [first] = await runs.collection
    .find({ ...condition, claimable_at: { $exists: true } } as never, {
      projection: candidateFields,
      sort: { project_client_id: 1, operation_id: 1, claimable_at: 1 },
      limit: 1,
    })
    .toArray();
  return first === undefined ? null : toCandidate(first as unknown as ScheduledRunDocument);
}

/**
 * Takes runs until `leasedUntil`, all by one update. Another worker may have taken some of them: those are left out. What is taken carries
 * a token of this claim; a worker that dies before it has read what it took leaves it to whoever comes when the lease is over.
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
  const taken = runs.collection.find({ _id: { $in: ids }, claim } as never, {
    projection: { attempts: 0 },
    batchSize: ids.length + 1,
  });
  return (await taken.toArray()) as unknown as ClaimedRun[];
}

import { type Claim, createLeaseQueue } from "@platform/kit/jobs/work";
import { insertEach, isDuplicateKey } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import { partitionCount } from "../domain/partition.ts";
import { giveUpLease, type LeaseModel, takeLease } from "./lease-model.ts";

/** A partition of Project Clients. Only one worker at a time numbers and relays their events. */
export type PartitionDocument = {
  readonly _id: number;
  readonly leased_until: Date;
  /** The worker that claimed the partition last. */
  readonly owner?: string;
  /** Number of claims so far, which is the fencing token of the worker that holds the partition. */
  readonly fence: number;
};

export type PartitionModel = Model<PartitionDocument>;

/** A partition that this worker holds. */
export type ClaimedPartition = Claim<PartitionDocument>;

const schema = new Schema<PartitionDocument>(
  {
    _id: { type: Number, required: true },
    leased_until: { type: Date, required: true },
    owner: String,
    fence: { type: Number, required: true },
  },
  { collection: "event_partitions", strict: "throw", versionKey: false },
);

export function partitionModel(connection: Connection): PartitionModel {
  return connection.model<PartitionDocument>("EventPartition", schema);
}

/** Creates the missing partitions. */
export async function makePartitions(model: PartitionModel): Promise<void> {
  if ((await model.countDocuments({})) === partitionCount) return;
  const all = Array.from({ length: partitionCount }, (_, _id) => ({ _id, leased_until: new Date(0), fence: 0 }));
  const failures = await insertEach(model, all);
  for (const error of failures.values()) if (!isDuplicateKey(error)) throw error;
}

/** Creates the queue from which workers claim partitions. A claim is a lease with a fencing token. */
export function createPartitionQueue(model: PartitionModel, owner: string, clock: () => Date, leaseMs: number) {
  return createLeaseQueue<PartitionDocument>(model, {
    clock,
    leaseMs,
    due: "leased_until",
    attempts: "fence",
    onClaim: () => ({ owner }),
  });
}

const presence = "partition-worker:";

/** Records that a worker takes part in sharing the partitions, and returns the number of active workers. */
export async function countWorkers(leases: LeaseModel, owner: string, now: Date, until: Date): Promise<number> {
  await takeLease(leases, `${presence}${owner}`, owner, now, until);
  return leases.countDocuments({ _id: { $gte: presence, $lt: `${presence}~` }, until: { $gt: now } });
}

/** Records that a worker has stopped, and removes workers that died some time ago. */
export async function leaveWorkers(leases: LeaseModel, owner: string, before: Date): Promise<void> {
  await giveUpLease(leases, `${presence}${owner}`, owner);
  await leases.deleteMany({ _id: { $gte: presence, $lt: `${presence}~` }, until: { $lt: before } });
}

import { collectionOf, isDuplicateKey } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";

/** The lease of a job that only one process at a time may do. */
export type LeaseDocument = { readonly _id: string; readonly owner: string; readonly until: Date };

export type LeaseModel = Model<LeaseDocument>;

const leaseSchema = new Schema<LeaseDocument>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    until: { type: Date, required: true },
  },
  { collection: "leases", strict: "throw", versionKey: false },
);

export function leaseModel(connection: Connection): LeaseModel {
  return connection.model<LeaseDocument>("Lease", leaseSchema);
}

/** Acquires or renews a lease. Returns false if another process holds it. */
export async function takeLease(
  leases: LeaseModel,
  name: string,
  owner: string,
  now: Date,
  until: Date,
): Promise<boolean> {
  try {
    await collectionOf(leases).updateOne(
      { _id: name, $or: [{ owner }, { until: { $lte: now } }] },
      { $set: { owner, until } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    // The upsert collided with the document of another process, so that process holds the lease.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Releases a lease, so that others do not have to wait for its end. */
export async function giveUpLease(leases: LeaseModel, name: string, owner: string): Promise<void> {
  await leases.deleteOne({ _id: name, owner });
}

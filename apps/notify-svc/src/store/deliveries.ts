import { createGroupCommit, idempotencyKeyReused, insertOnce } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import type { Delivery } from "../domain/delivery.ts";
import {
  type DeliveryKeys,
  type DeliveryRecord,
  deliveryModel,
  toDelivery,
  toDeliveryRecord,
} from "./delivery-model.ts";
import { requeued } from "./delivery-search.ts";

/** Stores intents with their deliveries, for callers and operators. Workers use delivery-queue.ts. */
export function createDeliveryStore(connection: Connection) {
  const model = deliveryModel(connection);
  const group = createGroupCommit<DeliveryRecord>(model);
  const findOne = async (filter: Record<string, unknown>): Promise<Delivery | null> => {
    const record = await model.findOne(filter).lean<DeliveryRecord>().exec();
    return record === null ? null : toDelivery(record);
  };
  return {
    /**
     * Accepts an intent by one insert, which stores the intent, its delivery and its work item.
     * @throws ServiceError idempotency_key_reused
     */
    insertIntent: async (
      delivery: Delivery,
      keys: DeliveryKeys,
    ): Promise<{ delivery: Delivery; replayed: boolean }> => {
      const record = toDeliveryRecord(delivery, keys);
      const { document, replayed } = await insertOnce<DeliveryRecord>(model, record, { insert: group.insert });
      return { delivery: toDelivery(document), replayed };
    },
    /**
     * The delivery that an idempotency key created before, or null.
     * @throws ServiceError idempotency_key_reused
     */
    findByKey: async (
      projectClientId: string,
      claim: { key: string; fingerprint: string },
    ): Promise<Delivery | null> => {
      const filter = { project_client_id: projectClientId, idempotency_key: claim.key };
      const record = await model.findOne(filter).lean<DeliveryRecord>().exec();
      if (record === null) return null;
      if (record.idempotency_fingerprint !== claim.fingerprint) throw idempotencyKeyReused();
      return toDelivery(record);
    },
    /** Queues a verification push. A repeated key queues nothing. */
    insertVerification: async (delivery: Delivery, keys: DeliveryKeys): Promise<void> => {
      await insertOnce<DeliveryRecord>(model, toDeliveryRecord(delivery, keys));
    },
    /** A delivery of an intent. Callers cannot read verification pushes. */
    find: (projectClientId: string, id: string): Promise<Delivery | null> =>
      findOne({ _id: id, project_client_id: projectClientId, kind: "intent" }),
    /** Finds the delivery of any client, for operators. */
    findForOperator: (id: string): Promise<Delivery | null> => findOne({ _id: id }),
    /** The delivery whose email contains the unsubscribe token with this hash. */
    findByUnsubscribeToken: (tokenHash: string): Promise<Delivery | null> =>
      findOne({ unsubscribe_token_hash: tokenHash }),
    /**
     * Puts a failed delivery back into the queue with its full number of attempts. Returns null if it has not failed,
     * or if its content no longer exists because the email was sent and bounced, or because its retention has ended.
     * A verification push has no content of its own.
     */
    requeueFailed: async (id: string, now: Date): Promise<Delivery | null> => {
      const sendable = { $or: [{ content: { $ne: null } }, { kind: "verification" as const }] };
      const record = await model
        .findOneAndUpdate(
          { _id: id, status: "failed", ...sendable },
          { $set: requeued(now) },
          { returnDocument: "after" },
        )
        .lean<DeliveryRecord>()
        .exec();
      return record === null ? null : toDelivery(record);
    },
  };
}

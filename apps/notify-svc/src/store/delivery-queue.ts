import { type Claim, createLeaseQueue, type LeaseUpdate } from "@platform/kit/jobs/work";
import { defined } from "@platform/kit/process/fields";
import { collectionOf, readsIndexInOrder, withFact } from "@platform/kit/store/documents";
import type { PlatformFacts } from "@platform/operator-plane/platform-events";
import type { Connection } from "mongoose";
import {
  type Delivery,
  type DeliveryAttempt,
  giveUpMs,
  type ProviderStatus,
  type Settlement,
} from "../domain/delivery.ts";
import { byDueTime, type DeliveryRecord, deliveryModel, toDelivery } from "./delivery-model.ts";

/** The fields of a waiting delivery by which a worker chooses what to claim. */
export type QueueHead = {
  readonly id: string;
  readonly bulkhead: string;
  readonly dueAt: Date;
  readonly giveUpAt: Date;
  readonly endpointId: string;
};

/** A delivery that a worker has claimed under a lease. */
export type ClaimedDelivery = {
  readonly delivery: Delivery;
  readonly bulkhead: string;
  readonly claim: Claim<DeliveryRecord>;
};

/** The result of an attempt, which has to be written. */
export type SettledTry = {
  readonly claimed: ClaimedDelivery;
  readonly settlement: Settlement;
  readonly providerStatus: ProviderStatus;
  readonly attempt: DeliveryAttempt;
};

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

const attemptLogMax = 10;

/** The queue of deliveries as workers use it. */
export function createDeliveryQueue(
  connection: Connection,
  facts: Pick<PlatformFacts, "of" | "clientIds">,
  options: { clock: () => Date; leaseMs: number },
) {
  const model = deliveryModel(connection);
  const collection = collectionOf(model);
  const queue = createLeaseQueue<DeliveryRecord>(model, {
    ...options,
    due: "due_at",
    leasedUntil: "lease_until",
    claim: "claim_id",
    attempts: "attempts",
    waiting: { status: "pending" },
    held: { status: "sending" },
    onClaim: () => ({ status: "sending" }),
  });
  const end = async ({ claim }: ClaimedDelivery, update: LeaseUpdate): Promise<void> =>
    void (await queue.settle(claim, update));

  /** The platform event about a finished delivery, or null for a verification push. */
  const factOf = (delivery: Delivery, state: "sent" | "failed", errorCode: string | null, now: Date) => {
    if (delivery.kind !== "intent") return null;
    const { intentId, endpointId, channel } = delivery;
    const data = {
      notification_intent_id: intentId,
      delivery_endpoint_id: endpointId,
      channel,
      ...defined({ last_error_code: errorCode }),
    };
    const fact = { resource: "notification_delivery", id: delivery.id, state, data };
    return facts.of(delivery.projectClientId, fact, now);
  };
  const settledFact = ({ claimed, settlement }: SettledTry, now: Date) => {
    if (settlement.status === "pending") return null;
    const errorCode = settlement.status === "failed" ? settlement.errorCode : null;
    return factOf(claimed.delivery, settlement.status, errorCode, now);
  };

  return {
    /**
     * Reads the first deliveries of each bulkhead after `afterBulkhead`: the bulkheads in order, and the deliveries
     * of each by due time. This is one read of the index, whose cost depends on `limit` and not on the backlog. The
     * rest of a long bulkhead is skipped, and another read starts after it. A server that sorts everything that
     * matches reads only what is due by `soon`, from the index by due time.
     */
    readHeads: async (afterBulkhead: string, limit: number, soon: Date): Promise<QueueHead[]> => {
      const waiting = { status: "pending", lane: { $gt: afterBulkhead } } as const;
      const cursor = (await readsIndexInOrder(connection))
        ? collection.find(waiting)
        : collection.find({ ...waiting, due_at: { $lte: soon } }).hint(byDueTime);
      const records = await cursor
        .sort({ lane: 1, due_at: 1 })
        .limit(limit)
        // One batch, because the first batch of a server contains only 101 documents by default.
        .batchSize(limit + 1)
        .project<{ _id: string; lane: string; due_at: Date; give_up_at: Date; endpoint_id: string }>({
          lane: 1,
          due_at: 1,
          give_up_at: 1,
          endpoint_id: 1,
        })
        .toArray();
      return records.map(({ _id, lane, due_at, give_up_at, endpoint_id }) => ({
        id: _id,
        bulkhead: lane,
        dueAt: due_at,
        giveUpAt: give_up_at,
        endpointId: endpoint_id,
      }));
    },
    /**
     * Claims the given deliveries, unless they are no longer waiting or due. Another worker may claim some of them,
     * but each is claimed only once.
     */
    claim: async (ids: readonly string[]): Promise<ClaimedDelivery[]> =>
      (await queue.claimMany(ids)).map((claim) => ({
        delivery: toDelivery(claim.document),
        bulkhead: claim.document.lane,
        claim,
      })),
    isHeld: ({ claim }: ClaimedDelivery): boolean => queue.isHeld(claim),
    leave: ({ claim }: ClaimedDelivery): void => queue.leave(claim),
    renewAll: queue.renewAll,
    /**
     * Writes the result of an attempt, unless the lease was lost.
     * @throws if it is unknown whether the result was written; writing it again is harmless
     */
    settle: (tried: SettledTry): Promise<void> => {
      const now = options.clock();
      return queue.settleTogether(tried.claimed.claim, withFact(settlementUpdate(tried, now), settledFact(tried, now)));
    },
    /** Fails a delivery that must not be sent. The claimed attempt is not counted. */
    fail: (claimed: ClaimedDelivery, errorCode: string): Promise<void> => {
      const now = options.clock();
      const update: LeaseUpdate = {
        $set: { status: "failed", last_error_code: errorCode, finished_at: now },
        $inc: { attempts: -1 },
      };
      return end(claimed, withFact(update, factOf(claimed.delivery, "failed", errorCode, now)));
    },
    /**
     * Returns a delivery to the queue, where it can be claimed immediately.
     * @param isTried true if the attempt was started and its outcome is unknown; otherwise the attempt is not counted
     */
    release: (claimed: ClaimedDelivery, isTried: boolean): Promise<void> =>
      end(claimed, {
        $set: { status: "pending", due_at: options.clock() },
        ...(isTried ? {} : { $inc: { attempts: -1 } }),
      }),
    /** Postpones a delivery without counting the attempt. */
    putBack: (claimed: ClaimedDelivery): Promise<void> =>
      end(claimed, { $set: { status: "pending" }, $inc: { attempts: -1 } }),
    /**
     * Postpones those waiting deliveries to an endpoint that are due in the first half of the time until `until`.
     * They would fail in the same way as the one that has just failed, and would delay deliveries to other endpoints.
     */
    postponeTo: async (endpointId: string, until: Date): Promise<void> => {
      const nowMs = options.clock().getTime();
      const half = new Date((nowMs + until.getTime()) / 2);
      // The condition on the creation time limits the read. Older deliveries have been given up.
      const waiting = {
        endpoint_id: endpointId,
        created_at: { $gt: new Date(nowMs - giveUpMs) },
        status: "pending",
      } as const;
      await collection.updateMany({ ...waiting, due_at: { $lt: half } }, { $set: { due_at: until } });
    },
    /** Frees deliveries whose worker died: they return to the queue, or fail if it was the last attempt. */
    sweepExpiredLeases: async (attemptsMax: number): Promise<number> => {
      const now = options.clock();
      const expired = { lease_until: { $lt: now }, status: "sending" as const };
      const lost = { ...expired, attempts: { $gte: attemptsMax } };
      const update = {
        $set: { status: "failed", last_error_code: "worker_lost", finished_at: now },
        $unset: { claim_id: "", lease_until: "" },
      } as const;
      // Each delivery has a platform event of its own, so the deliveries of clients with platform events are written
      // one by one.
      const told = facts.clientIds();
      let failedOfTold = 0;
      if (told.length > 0) {
        const ofTold = { ...lost, project_client_id: { $in: told } };
        const records = await collection.find(ofTold).toArray();
        for (const record of records) {
          const fact = factOf(toDelivery(record), "failed", "worker_lost", now);
          const { modifiedCount } = await collection.updateOne({ ...lost, _id: record._id }, withFact(update, fact));
          failedOfTold += modifiedCount;
        }
      }
      const failed = await collection.updateMany(lost, update);
      const freed = await collection.updateMany(expired, {
        $set: { status: "pending", due_at: now, last_error_code: "worker_lost" },
        $unset: { claim_id: "", lease_until: "" },
      });
      return freed.modifiedCount + failed.modifiedCount + failedOfTold;
    },
  };
}

function settlementUpdate({ settlement, providerStatus, attempt }: SettledTry, now: Date): LeaseUpdate {
  const logged = {
    attempt: attempt.attempt,
    at: attempt.at,
    provider_status: attempt.providerStatus,
    error_code: attempt.errorCode,
    duration_ms: attempt.durationMs,
  };
  const states = {
    sent: { last_error_code: null, finished_at: now, content: null },
    failed: { finished_at: now },
    pending: settlement.status === "pending" ? { due_at: settlement.dueAt } : {},
  };
  return {
    $set: {
      status: settlement.status,
      provider_status: providerStatus,
      ...(settlement.status === "sent" ? {} : { last_error_code: settlement.errorCode }),
      ...states[settlement.status],
    },
    $push: { attempt_log: { $each: [logged], $slice: -attemptLogMax } },
  };
}

import { withFact } from "@platform/service-kit/mongo/outbox";
import type { PlatformFacts } from "@platform/service-kit/platform-events/platform-facts";
import type { Connection } from "mongoose";
import type { Delivery, DeliveryAttempt, ProviderStatus, Settlement } from "../domain/delivery.ts";
import { type DeliveryRecord, deliveryModel, toDelivery } from "./delivery-model.ts";

/** A waiting delivery, as far as choosing what to claim needs it. */
export type QueueHead = {
  readonly id: string;
  readonly lane: string;
  readonly dueAt: Date;
  readonly giveUpAt: Date;
  readonly endpointId: string;
};

/** A delivery a worker has by lease. Every later write names the claim, so that a worker whose lease was lost cannot write. */
export type ClaimedDelivery = {
  readonly delivery: Delivery;
  readonly lane: string;
  readonly claimId: string;
  /** Shared by all of one claim. */
  readonly lease: Lease;
};

/** Until when a claim is known to be held; renewing moves it on. */
export type Lease = { until: Date };

/** What a try came to, to be written. */
export type SettledTry = {
  readonly claimed: ClaimedDelivery;
  readonly settlement: Settlement;
  readonly providerStatus: ProviderStatus;
  readonly attempt: DeliveryAttempt;
};

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

const attemptLogMax = 10;
const durableWrite = { w: "majority", j: true, wtimeout: 5_000 } as const;

/** The queue of deliveries as workers use it. */
export function createDeliveryQueue(connection: Connection, facts: Pick<PlatformFacts, "of" | "clientIds">) {
  const { collection } = deliveryModel(connection);
  const fence = ({ delivery, claimId }: ClaimedDelivery) => ({
    _id: delivery.id as never,
    status: "sending" as const,
    attempts: delivery.attempts,
    claim_id: claimId,
  });

  /** What is told of a delivery that is over. Verification pushes are the platform's own. */
  const factOf = (delivery: Delivery, state: "sent" | "failed", errorCode: string | null, now: Date) => {
    if (delivery.kind !== "intent") return null;
    const { intentId, endpointId, channel } = delivery;
    const data = {
      notification_intent_id: intentId,
      delivery_endpoint_id: endpointId,
      channel,
      ...(errorCode === null ? {} : { last_error_code: errorCode }),
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
     * The first deliveries of each lane behind `afterLane`, lanes in order, each lane's by due time. One read of the index, whose cost
     * depends on `limit` and not on the backlog: a lane with more than `limit` waiting is passed over by asking again after it.
     */
    readHeads: async (afterLane: string, limit: number): Promise<QueueHead[]> => {
      const records = await collection
        .find({ status: "pending", lane: { $gt: afterLane } })
        .sort({ lane: 1, due_at: 1 })
        .limit(limit)
        .project<{ _id: string; lane: string; due_at: Date; give_up_at: Date; endpoint_id: string }>({
          lane: 1,
          due_at: 1,
          give_up_at: 1,
          endpoint_id: 1,
        })
        .toArray();
      return records.map(({ _id, lane, due_at, give_up_at, endpoint_id }) => ({
        id: _id,
        lane,
        dueAt: due_at,
        giveUpAt: give_up_at,
        endpointId: endpoint_id,
      }));
    },
    /** Takes the named deliveries that are still waiting and due. Another worker may win some of them; each is won by one. */
    claim: async (ids: readonly string[], claimId: string, now: Date, leaseUntil: Date): Promise<ClaimedDelivery[]> => {
      if (ids.length === 0) return [];
      const taken = await collection.updateMany(
        { _id: { $in: ids as never }, status: "pending", due_at: { $lte: now } },
        { $set: { status: "sending", claim_id: claimId, lease_until: leaseUntil }, $inc: { attempts: 1 } },
      );
      if (taken.modifiedCount === 0) return [];
      const records = (await collection
        .find({ _id: { $in: ids as never }, claim_id: claimId })
        .toArray()) as unknown as DeliveryRecord[];
      const lease: Lease = { until: leaseUntil };
      return records.map((record) => ({ delivery: toDelivery(record), lane: record.lane, claimId, lease }));
    },
    /** Extends the leases of deliveries still held. @returns how many that were */
    renew: async (claimed: readonly ClaimedDelivery[], leaseUntil: Date): Promise<number> => {
      if (claimed.length === 0) return 0;
      const { matchedCount } = await collection.updateMany(
        {
          _id: { $in: claimed.map(({ delivery }) => delivery.id) as never },
          status: "sending",
          claim_id: { $in: [...new Set(claimed.map(({ claimId }) => claimId))] },
        },
        { $set: { lease_until: leaseUntil } },
      );
      return matchedCount;
    },
    /**
     * Writes what tries came to. Those whose lease was lost meanwhile are left as they are.
     * @throws when it is unknown what was written; writing it again does no harm
     */
    settle: async (tries: readonly SettledTry[], now: Date): Promise<{ written: number }> => {
      const { db } = connection;
      if (db === undefined) throw new Error("not connected");
      // The command itself rather than bulkWrite, which measures every document before it writes it.
      const reply = await db.command({
        update: collection.collectionName,
        updates: tries.map((each) => ({
          q: fence(each.claimed),
          u: withFact(settlementUpdate(each, now), settledFact(each, now)),
        })),
        ordered: false,
        writeConcern: durableWrite,
      });
      if (reply.writeErrors !== undefined || reply.writeConcernError !== undefined) {
        throw new Error("the outcomes of deliveries were not all written");
      }
      return { written: Number(reply.n) };
    },
    /** Ends a delivery that must not be sent. It was not tried, so the try that was counted at the claim is taken back. */
    fail: async (claimed: ClaimedDelivery, errorCode: string, now: Date): Promise<void> => {
      const update = {
        $set: { status: "failed", last_error_code: errorCode, finished_at: now },
        $inc: { attempts: -1 },
        $unset: { claim_id: "", lease_until: "" },
      };
      const fact = factOf(claimed.delivery, "failed", errorCode, now);
      await collection.updateOne(fence(claimed), withFact(update, fact) as never);
    },
    /**
     * Gives a delivery back, to be taken at once by whoever comes next.
     * @param isTried was it begun, with an unknown outcome? If not, the try that was counted at the claim is taken back
     */
    release: async (claimed: ClaimedDelivery, isTried: boolean, now: Date): Promise<void> => {
      await collection.updateOne(fence(claimed), {
        $set: { status: "pending", due_at: now },
        ...(isTried ? {} : { $inc: { attempts: -1 } }),
        $unset: { claim_id: "", lease_until: "" },
      });
    },
    /** Gives back a delivery that must wait, untried: the try that was counted at the claim is taken back. */
    putBack: async (claimed: ClaimedDelivery): Promise<void> => {
      await collection.updateOne(fence(claimed), {
        $set: { status: "pending" },
        $inc: { attempts: -1 },
        $unset: { claim_id: "", lease_until: "" },
      });
    },
    /** Frees deliveries whose worker died: back into the queue, or failed when it was the last try. */
    sweepExpiredLeases: async (now: Date, attemptsMax: number): Promise<{ freed: number; failed: number }> => {
      const expired = { lease_until: { $lt: now }, status: "sending" as const };
      const lost = { ...expired, attempts: { $gte: attemptsMax } };
      const update = {
        $set: { status: "failed", last_error_code: "worker_lost", finished_at: now },
        $unset: { claim_id: "", lease_until: "" },
      } as const;
      // Each of a client that is told has a fact of its own.
      const told = facts.clientIds();
      if (told.length > 0) {
        const ofTold = { ...lost, project_client_id: { $in: told } } as never;
        const records = (await collection.find(ofTold).toArray()) as unknown as DeliveryRecord[];
        for (const record of records) {
          const fact = factOf(toDelivery(record), "failed", "worker_lost", now);
          await collection.updateOne({ ...lost, _id: record._id } as never, withFact(update, fact) as never);
        }
      }
      const failed = await collection.updateMany(lost, update);
      const freed = await collection.updateMany(expired, {
        $set: { status: "pending", due_at: now, last_error_code: "worker_lost" },
        $unset: { claim_id: "", lease_until: "" },
      });
      return { freed: freed.modifiedCount, failed: failed.modifiedCount };
    },
  };
}

function settlementUpdate({ settlement, providerStatus, attempt }: SettledTry, now: Date): Record<string, unknown> {
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
    $unset: { claim_id: "", lease_until: "" },
  };
}

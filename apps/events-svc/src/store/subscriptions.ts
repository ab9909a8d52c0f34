import { newId } from "@platform/kit/process/secrets";
import {
  collectionOf,
  oldestFirst,
  type Page,
  type PageRequest,
  type PlatformFact,
  readPage,
  retryWrite,
  withFact,
} from "@platform/kit/store/documents";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import type { StatusReason } from "../domain/status-reason.ts";
import type { Subscription, SubscriptionProgress, SubscriptionStatus } from "../domain/subscription.ts";
import type { EventModels } from "./domain-event-model.ts";
import { lastPosition } from "./read-events.ts";
import type { ClaimedRun } from "./run-queue.ts";
import type { ScheduleModels } from "./scheduled-operation-model.ts";
import { type SubscriptionDocument, type SubscriptionModel, toSubscription } from "./subscription-model.ts";

/** The collections that subscriptions use. */
export type SubscriptionModels = {
  readonly subscriptions: SubscriptionModel;
  readonly schedule: ScheduleModels;
  readonly event: EventModels;
};

/** Subscribes an operation to types of events that follow a position. */
export async function createSubscription(
  { subscriptions }: SubscriptionModels,
  operation: ScheduledOperation,
  fields: Pick<Subscription, "types" | "filter" | "order" | "recorded_to">,
  now: Date,
): Promise<Subscription> {
  const document: SubscriptionDocument = {
    _id: newId(),
    project_client_id: operation.project_client_id,
    operation_id: operation.id,
    status: "active",
    max_attempts: operation.max_attempts,
    ...fields,
    replays: [],
    replay_count: 0,
    created_at: now,
  };
  await collectionOf(subscriptions).insertOne(document);
  return toSubscription(document);
}

/** Finds a subscription by its id alone, for operators. */
export async function findSubscription(
  { subscriptions }: SubscriptionModels,
  id: string,
): Promise<Subscription | null> {
  const document = await subscriptions.findOne({ _id: id }).lean<SubscriptionDocument | null>();
  return document === null ? null : toSubscription(document);
}

/** A page of a client's subscriptions, oldest first. */
export async function listSubscriptions(
  { subscriptions }: SubscriptionModels,
  clientId: string,
  request: PageRequest,
): Promise<Page<Subscription>> {
  const page = await readPage<SubscriptionDocument>(subscriptions, { project_client_id: clientId }, request, {
    order: oldestFirst,
  });
  return { items: page.items.map(toSubscription), nextCursor: page.nextCursor };
}

/**
 * Computes a subscription's position. `complete_to` must have been read before the runs, because runs are inserted
 * before it advances.
 */
export async function progressOf(
  models: SubscriptionModels,
  subscription: Subscription,
): Promise<SubscriptionProgress> {
  const { runs } = models.schedule;
  const ofSubscription = { subscription_id: subscription.id };
  const [first, failed, retried] = await Promise.all([
    runs
      .findOne({ ...ofSubscription, replay: 0, unsettled: true }, { position: 1 })
      .sort({ position: 1 })
      .lean<{ position: number } | null>(),
    runs.countDocuments({ ...ofSubscription, state: "failed" }),
    runs.countDocuments({ ...ofSubscription, unsettled: true, tries_made: { $gt: 0 } }),
  ]);
  const position = Math.min(subscription.complete_to, first === null ? Number.POSITIVE_INFINITY : first.position - 1);
  const last = await lastPosition(models.event, subscription.project_client_id);
  return { position, lag: Math.max(0, last - position), failures: failed + retried };
}

/**
 * Pauses or resumes a subscription. Returns null if it is unknown or has ended. When it is resumed, deferred runs
 * become due immediately.
 */
export async function setSubscriptionStatus(
  models: SubscriptionModels,
  id: string,
  status: "active" | "paused",
  now: Date,
): Promise<Subscription | null> {
  const document = await models.subscriptions
    .findOneAndUpdate({ _id: id, status: { $ne: "ended" } }, { $set: { status } }, { returnDocument: "after" })
    .lean<SubscriptionDocument | null>();
  if (document === null) return null;
  if (status === "active") await makeDue(models, [id], now);
  return toSubscription(document);
}

/** Makes the deferred runs of an operation's subscriptions due, after the operation was enabled. */
export async function resumeEventRunsOf(models: SubscriptionModels, operationId: string, now: Date): Promise<void> {
  const found = await models.subscriptions
    .find({ operation_id: operationId }, { _id: 1 })
    .lean<Pick<SubscriptionDocument, "_id">[]>();
  if (found.length > 0) {
    await makeDue(
      models,
      found.map(({ _id }) => _id),
      now,
    );
  }
}

/**
 * Makes the deferred runs due of those of the given subscriptions that are active and whose operation is enabled. A
 * worker calls it after it deferred a run because of a status that it had read before: the subscription may have been
 * resumed since then, and that made only those runs due that were deferred by that time.
 * @returns whether there is such a subscription
 */
export async function resumeIfActive(
  { subscriptions, schedule }: Pick<SubscriptionModels, "subscriptions" | "schedule">,
  ids: readonly string[],
  now: Date,
): Promise<boolean> {
  const active = (await collectionOf(subscriptions)
    .find({ _id: { $in: ids }, status: "active" }, { projection: { operation_id: 1 } })
    .toArray()) as Pick<SubscriptionDocument, "_id" | "operation_id">[];
  if (active.length === 0) return false;
  const enabled = await collectionOf(schedule.operations)
    .find(
      { _id: { $in: active.map(({ operation_id }) => operation_id) }, status: "active" },
      { projection: { _id: 1 } },
    )
    .toArray();
  const enabledIds = new Set(enabled.map(({ _id }) => String(_id)));
  const resumed = active.filter(({ operation_id }) => enabledIds.has(operation_id)).map(({ _id }) => _id);
  if (resumed.length > 0) await makeDue({ schedule }, resumed, now);
  return resumed.length > 0;
}

/**
 * Makes the deferred runs of subscriptions due. The write is retried, because PostgreSQL may end it in favor of the
 * outcomes that workers write to the same runs.
 */
async function makeDue(
  { schedule }: Pick<SubscriptionModels, "schedule">,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await retryWrite(() =>
    collectionOf(schedule.runs).updateMany(
      { subscription_id: { $in: ids }, unsettled: true, state: "pending", claimable_at: { $gt: now } },
      { $set: { claimable_at: now } },
    ),
  );
}

/** Ends a subscription whose target refuses further calls. Its position and the first reason are kept. */
export async function endSubscription(
  subscriptions: SubscriptionModel,
  id: string,
  reason: StatusReason,
  fact: PlatformFact | null,
): Promise<void> {
  const update = withFact({ $set: { status: "ended", status_reason: reason } } as const, fact);
  await collectionOf(subscriptions).updateOne({ _id: id, status: { $ne: "ended" } }, update);
}

/** Keeps a run of an ended subscription unfinished, so that the position stays before it, but never claimed again. */
export async function setAside({ runs }: ScheduleModels, { fence }: Pick<ClaimedRun, "fence">): Promise<void> {
  await collectionOf(runs).updateOne(fence, {
    $set: { state: "waiting" },
    $unset: { claim: "", claimable_at: "" },
  });
}

/** Deletes a subscription and ends its remaining runs. Returns false if there is none. */
export async function deleteSubscription(models: SubscriptionModels, id: string): Promise<boolean> {
  const { deletedCount } = await models.subscriptions.deleteOne({ _id: id });
  await endRunsOfDeleted(models.schedule, id);
  return deletedCount === 1;
}

/** Ends the runs of a subscription that is deleted. The write is retried, because workers write to the same runs. */
export async function endRunsOfDeleted({ runs }: ScheduleModels, subscriptionId: string): Promise<void> {
  await retryWrite(() =>
    collectionOf(runs).updateMany(
      { subscription_id: subscriptionId, unsettled: true },
      {
        $set: { state: "skipped", error: "subscription_deleted" },
        $unset: { claim: "", claimable_at: "", unsettled: "" },
      },
    ),
  );
}

/** Starts a replay of a range of events. */
export async function addReplay(
  { subscriptions }: SubscriptionModels,
  id: string,
  range: { after: number; to: number },
): Promise<Subscription | null> {
  const numbered = await subscriptions
    .findOneAndUpdate({ _id: id, status: { $ne: "ended" } }, { $inc: { replay_count: 1 } }, { returnDocument: "after" })
    .lean<SubscriptionDocument | null>();
  if (numbered === null) return null;
  // If this write fails, its number is never used, which does no harm.
  const replay = { number: numbered.replay_count, recorded_to: range.after, to: range.to };
  if (range.after < range.to) {
    await collectionOf(subscriptions).updateOne({ _id: id }, { $push: { replays: replay } });
  }
  return toSubscription(numbered);
}

/** The statuses of the given subscriptions. Deleted ones are left out. */
export async function subscriptionStatuses(
  subscriptions: SubscriptionModel,
  ids: readonly string[],
): Promise<Map<string, SubscriptionStatus>> {
  if (ids.length === 0) return new Map();
  const found = await collectionOf(subscriptions)
    .find({ _id: { $in: ids } }, { projection: { status: 1 }, batchSize: ids.length + 1 })
    .toArray();
  return new Map(found.map(({ _id, status }) => [String(_id), status as SubscriptionStatus]));
}

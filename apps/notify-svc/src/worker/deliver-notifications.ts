import { claimTaken, repeat, type Taken } from "@platform/kit/jobs/pacing";
import { startJobLoop } from "@platform/kit/jobs/work";
import { clientOfBulkhead, profileOfBulkhead } from "../domain/delivery.ts";
import type { ClaimedDelivery, QueueHead } from "../store/delivery-queue.ts";
import { createAttempt } from "./attempt-delivery.ts";
import { type BulkheadLimits, createBulkheads } from "./bulkheads.ts";
import type { WorkerDeps } from "./worker-deps.ts";

export type DeliveryLoopOptions = {
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly limits: BulkheadLimits;
};

/**
 * Maximum number of deliveries of one bulkhead that are read in one pass: about as many as a bulkhead has
 * connections.
 */
const headsOfBulkhead = 128;
/**
 * Maximum number of reads in one pass. The next pass continues from there, so a pass is short with any number of
 * bulkheads.
 */
const readsMax = 100;
/** Minimum time between two passes, in milliseconds. */
const passEveryMs = 20;

/**
 * Sends queued deliveries: claims them by lease, fairly over the bulkheads, and processes the claims concurrently.
 * @returns a function that stops claiming, waits for running deliveries, and returns those that do not end in time to
 * the queue
 */
export function startDeliveries(deps: WorkerDeps, options: DeliveryLoopOptions) {
  const { queue, clock, logger, metrics, disabledClients, profiles } = deps;
  const bulkheads = createBulkheads(options.limits);
  const attempt = createAttempt(deps);
  /** True if the last pass left deliveries unclaimed or unread. */
  let hasMore = false;
  let wakeTimer: NodeJS.Timeout | undefined;
  let cursor = "";

  const isStopped = (bulkhead: string): boolean =>
    disabledClients.has(clientOfBulkhead(bulkhead)) || profiles.isDisabled(profileOfBulkhead(bulkhead));

  /** Deliveries of disabled Project Clients and sender profiles are not claimed until they expire. */
  const mayClaim = ({ bulkhead, dueAt, giveUpAt }: QueueHead, nowMs: number): boolean =>
    dueAt.getTime() <= nowMs && (giveUpAt.getTime() < nowMs || !isStopped(bulkhead));

  const readHeads = async (): Promise<QueueHead[]> => {
    const heads: QueueHead[] = [];
    // The deliveries that become due before the next poll are read, too.
    const soon = new Date(clock().getTime() + options.pollMs);
    for (let reads = 0; reads < readsMax; reads += 1) {
      const page = await queue.readHeads(cursor, headsOfBulkhead, soon);
      heads.push(...page);
      cursor = page.length < headsOfBulkhead ? "" : (page.at(-1)?.bulkhead ?? "");
      if (cursor === "") break;
    }
    return heads;
  };

  /** Starts a timer for the next delivery that becomes due before the next poll. */
  const wakeWhenDue = (heads: readonly QueueHead[], nowMs: number): void => {
    clearTimeout(wakeTimer);
    const nextMs = Math.min(...heads.map(({ dueAt }) => dueAt.getTime()).filter((dueMs) => dueMs > nowMs));
    if (nextMs - nowMs < options.pollMs) wakeTimer = setTimeout(() => loop.notify(), nextMs - nowMs);
  };

  const claim = async (limit: number): Promise<readonly Taken<ClaimedDelivery>[]> => {
    const heads = await readHeads();
    const nowMs = clock().getTime();
    wakeWhenDue(heads, nowMs);
    const waiting = heads.filter((head) => mayClaim(head, nowMs));
    // Deliveries of a bulkhead whose provider fails do not count as late. They wait for the provider, so neither more
    // workers nor an alert would help.
    const late = waiting.filter(({ bulkhead }) => !bulkheads.isSuspended(bulkhead));
    metrics.queueAgeSeconds.set(Math.max(0, ...late.map(({ dueAt }) => nowMs - dueAt.getTime())) / 1000);
    const taken = bulkheads.choose(waiting, performance.now(), limit);
    hasMore = taken.length < waiting.length || heads.length >= headsOfBulkhead;
    metrics.pausedBulkheads.set(bulkheads.paused(performance.now()));
    const claimed = await claimTaken(taken, queue.claim, ({ delivery }) => delivery.id);
    metrics.running.set(bulkheads.running());
    return claimed;
  };

  const work = async ({ item: claimed, release }: Taken<ClaimedDelivery>, signal: AbortSignal): Promise<void> => {
    const { bulkhead, delivery } = claimed;
    const releasePermit = (): void => {
      release();
      if (hasMore && bulkheads.isHungry(bulkhead)) loop.notify();
    };
    const endTurn = await bulkheads.takeTurn({ bulkhead, endpointId: delivery.endpointId });
    try {
      if (endTurn === null || signal.aborted) return await queue.putBack(claimed);
      await attempt(claimed, signal, (outcome) => {
        bulkheads.record(bulkhead, delivery.endpointId, outcome, performance.now());
        endTurn();
        releasePermit();
      });
    } finally {
      endTurn?.();
      releasePermit();
      queue.leave(claimed);
    }
  };

  const loop = startJobLoop({
    name: "deliver-notifications",
    logger,
    concurrency: options.limits.total,
    pollMs: options.pollMs,
    claimEveryMs: passEveryMs,
    claim,
    work,
    traceparentOf: ({ item }) => item.delivery.traceparent,
  });
  const renewal = repeat("renew-leases", options.leaseMs / 3, logger, queue.renewAll);

  return {
    stop: async (graceMs?: number): Promise<void> => {
      await loop.stop(graceMs);
      clearTimeout(wakeTimer);
      await renewal.stop();
    },
  };
}

import { startJobLoop } from "@platform/service-kit/jobs/job-loop";
import { newId } from "@platform/service-kit/secrets/id";
import { createLanes, type LaneLimits } from "../domain/lanes.ts";
import type { ClaimedDelivery, QueueHead } from "../store/delivery-queue.ts";
import { createAttempt } from "./attempt-delivery.ts";
import { repeat } from "./repeat.ts";
import type { WorkerDeps } from "./worker-deps.ts";

export type DeliveryLoopOptions = {
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly limits: LaneLimits;
};

/** Deliveries of one lane looked at in one pass, at least as many as a lane may run. */
const headsPerRead = 128;
/** Reads of one pass; the next one goes on from where it stopped, so that no number of lanes makes a pass long. */
const readsMax = 200;

/**
 * Sends what is queued: claims by lease, fairly over the lanes, and works on what it claimed at once.
 * @returns stops claiming, lets running deliveries end, and gives back those that do not end in time
 */
export function startDeliveries(deps: WorkerDeps, options: DeliveryLoopOptions) {
  const { stores, clock, logger, metrics } = deps;
  const lanes = createLanes(options.limits);
  const attempt = createAttempt(deps);
  const workerId = newId();
  const held = new Set<ClaimedDelivery>();
  /** Lanes in which the last pass left deliveries that are due. */
  let backlog = new Set<string>();
  let cursor = "";
  let claims = 0;

  const readHeads = async (): Promise<QueueHead[]> => {
    const heads: QueueHead[] = [];
    for (let reads = 0; reads < readsMax; reads += 1) {
      const page = await stores.queue.readHeads(cursor, headsPerRead);
      heads.push(...page);
      cursor = page.length < headsPerRead ? "" : (page.at(-1)?.lane ?? "");
      if (cursor === "") break;
    }
    return heads;
  };

  const claim = async (): Promise<readonly ClaimedDelivery[]> => {
    const heads = await readHeads();
    const nowMs = clock().getTime();
    const ids = new Set(lanes.choose(heads, nowMs));
    const due = heads.filter(({ dueAt }) => dueAt.getTime() <= nowMs);
    backlog = new Set(due.filter(({ id }) => !ids.has(id)).map(({ lane }) => lane));
    metrics.queueAgeSeconds.set(Math.max(0, ...due.map(({ dueAt }) => nowMs - dueAt.getTime())) / 1000);
    metrics.pausedLanes.set(lanes.paused(nowMs));
    claims += 1;
    const leaseUntil = new Date(clock().getTime() + options.leaseMs);
    const claimed = await stores.queue.claim([...ids], `${workerId}:${claims}`, leaseUntil);
    for (const each of claimed) {
      held.add(each);
      lanes.begin(each.lane, each.delivery.endpointId);
    }
    metrics.running.set(lanes.running());
    return claimed;
  };

  const work = async (claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> => {
    const { lane, delivery } = claimed;
    let outcome: Awaited<ReturnType<typeof attempt>> = null;
    try {
      outcome = await attempt(claimed, signal);
    } finally {
      held.delete(claimed);
      const nowMs = clock().getTime();
      lanes.end(lane, delivery.endpointId, outcome, nowMs);
      if (backlog.has(lane) && lanes.isHungry(lane, nowMs)) loop.nudge();
    }
  };

  const loop = startJobLoop({
    name: "deliver-notifications",
    logger,
    concurrency: options.limits.total,
    pollMs: options.pollMs,
    claim,
    work,
    traceparentOf: ({ delivery }) => delivery.traceparent,
  });
  const stopRenewing = repeat("renew-leases", options.leaseMs / 3, logger, () =>
    stores.queue.renew([...held], new Date(clock().getTime() + options.leaseMs)),
  );

  return {
    stop: async (graceMs?: number): Promise<void> => {
      await loop.stop(graceMs);
      await stopRenewing();
    },
  };
}

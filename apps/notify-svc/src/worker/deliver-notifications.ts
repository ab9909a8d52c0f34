import { startJobLoop } from "@platform/service-kit/jobs/job-loop";
import { repeat } from "@platform/service-kit/jobs/repeat";
import { newId } from "@platform/service-kit/secrets/id";
import { clientOfLane, type Outcome, profileOfLane } from "../domain/delivery.ts";
import { createLanes, type LaneLimits } from "../domain/lanes.ts";
import type { ClaimedDelivery, QueueHead } from "../store/delivery-queue.ts";
import { createAttempt } from "./attempt-delivery.ts";
import { createHeldDeliveries } from "./held-deliveries.ts";
import type { WorkerDeps } from "./worker-deps.ts";

export type DeliveryLoopOptions = {
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly limits: LaneLimits;
};

/** Deliveries of one lane looked at in one reading: fewer when many lanes have a backlog and share the slots, so that a reading stays short. */
const headsOfLane = { most: 256, least: 64, ofAllLanes: 1_024 } as const;
/** How long what was read of the lanes is used for further passes before it is read anew: as long as a lane that was empty may go unseen. */
const headsFreshMs = 50;
/** Reads of one pass; the next one goes on from where it stopped, so that no number of lanes makes a pass long. */
const readsMax = 200;

/**
 * Sends what is queued: claims by lease, fairly over the lanes, and works on what it claimed at once.
 * @returns stops claiming, lets running deliveries end, and gives back those that do not end in time
 */
export function startDeliveries(deps: WorkerDeps, options: DeliveryLoopOptions) {
  const { stores, clock, logger, metrics, disabledClients, profiles } = deps;
  const lanes = createLanes(options.limits);
  const workerId = newId();
  const held = createHeldDeliveries(stores.queue, clock, options.leaseMs);
  const attempt = createAttempt(deps, held.isHeld);
  /** Lanes of which the last reading left something: unclaimed, or unread. */
  let backlog = new Set<string>();
  /** What the last reading found and nobody here has claimed yet, and when it was. */
  let ahead: QueueHead[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  let wakeTimer: NodeJS.Timeout | undefined;
  let cursor = "";
  let claims = 0;

  const isStopped = (lane: string): boolean =>
    disabledClients.has(clientOfLane(lane)) || profiles.isDisabled(profileOfLane(lane));

  /** Deliveries of disabled Project Clients and sender profiles are left where they are, until it is time to give them up. */
  const mayClaim = ({ lane, dueAt, giveUpAt }: QueueHead, nowMs: number): boolean =>
    dueAt.getTime() <= nowMs && (giveUpAt.getTime() < nowMs || !isStopped(lane));

  const readHeads = async (): Promise<QueueHead[]> => {
    const heads: QueueHead[] = [];
    const share = Math.ceil(headsOfLane.ofAllLanes / Math.max(1, backlog.size));
    const perRead = Math.min(headsOfLane.most, Math.max(headsOfLane.least, share));
    backlog = new Set();
    for (let reads = 0; reads < readsMax; reads += 1) {
      const page = await stores.queue.readHeads(cursor, perRead);
      heads.push(...page);
      cursor = page.length < perRead ? "" : (page.at(-1)?.lane ?? "");
      if (cursor === "") break;
      if (!isStopped(cursor)) backlog.add(cursor);
    }
    return heads;
  };

  /** What is read and not due yet is looked for when it is, rather than by the next poll. */
  const wakeWhenDue = (heads: readonly QueueHead[], nowMs: number): void => {
    clearTimeout(wakeTimer);
    const nextMs = Math.min(...heads.map(({ dueAt }) => dueAt.getTime()).filter((dueMs) => dueMs > nowMs));
    if (nextMs - nowMs < options.pollMs) wakeTimer = setTimeout(() => loop.nudge(), nextMs - nowMs);
  };

  /** Would a new reading find work for a lane that wants some and has nothing left of the last one? */
  const isReadingDue = (nowMs: number): boolean => {
    if (ahead.length === 0) return true;
    const known = new Set(ahead.map(({ lane }) => lane));
    return [...backlog].some((lane) => !known.has(lane) && lanes.isHungry(lane, nowMs));
  };

  /** Ids to claim now, of what is left of the last reading while it is fresh, else of a new one. What they have become since is for the claim to see. */
  const chooseIds = async (limit: number): Promise<readonly string[]> => {
    const choose = (): string[] => lanes.choose(ahead, clock().getTime()).slice(0, limit);
    let ids = performance.now() - readAtMs < headsFreshMs ? choose() : [];
    if (ids.length === 0 && (performance.now() - readAtMs >= headsFreshMs || isReadingDue(clock().getTime()))) {
      readAtMs = performance.now();
      const heads = await readHeads();
      const nowMs = clock().getTime();
      ahead = heads.filter((head) => mayClaim(head, nowMs));
      wakeWhenDue(heads, nowMs);
      metrics.queueAgeSeconds.set(Math.max(0, ...ahead.map(({ dueAt }) => nowMs - dueAt.getTime())) / 1000);
      ids = choose();
    }
    const chosen = new Set(ids);
    ahead = ahead.filter(({ id }) => !chosen.has(id));
    for (const { lane } of ahead) backlog.add(lane);
    return ids;
  };

  const claim = async (limit: number): Promise<readonly ClaimedDelivery[]> => {
    const ids = await chooseIds(limit);
    const nowMs = clock().getTime();
    metrics.pausedLanes.set(lanes.paused(nowMs));
    claims += 1;
    const leaseUntil = new Date(nowMs + options.leaseMs);
    const claimed = await stores.queue.claim(ids, `${workerId}:${claims}`, new Date(nowMs), leaseUntil);
    for (const each of claimed) {
      held.add(each);
      lanes.begin(each.lane, each.delivery.endpointId);
    }
    metrics.running.set(lanes.running());
    return claimed;
  };

  const work = async (claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> => {
    const { lane, delivery } = claimed;
    let isInLane = true;
    const leaveLane = (outcome: Outcome | null): void => {
      if (!isInLane) return;
      isInLane = false;
      const nowMs = clock().getTime();
      lanes.end(lane, delivery.endpointId, outcome, nowMs);
      if (backlog.has(lane) && lanes.isHungry(lane, nowMs)) loop.nudge();
    };
    try {
      await attempt(claimed, signal, leaveLane);
    } finally {
      leaveLane(null);
      held.remove(claimed);
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
  const renewal = repeat("renew-leases", options.leaseMs / 3, logger, held.renew);

  return {
    stop: async (graceMs?: number): Promise<void> => {
      await loop.stop(graceMs);
      clearTimeout(wakeTimer);
      await renewal.stop();
    },
  };
}

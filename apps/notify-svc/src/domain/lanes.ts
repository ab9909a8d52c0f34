import type { Outcome } from "./delivery.ts";

/** What a worker knows of a lane. */
type Lane = {
  running: number;
  /** Tries in a row that found the provider unreachable or unwell. */
  failures: number;
  /** No try before this, in epoch milliseconds. */
  openUntilMs: number;
  /** How long the breaker stays open the next time. */
  pauseMs: number;
};

export type LaneLimits = {
  /** Deliveries of one lane at once. */
  readonly perLane: number;
  /** What can be sent in a lane at once; more is not claimed, for it would only wait. */
  readonly connectionsOf: (lane: string) => number;
  /** Deliveries at once, all lanes together. */
  readonly total: number;
  /** Failures in a row that open a lane's breaker. */
  readonly failuresMax: number;
  readonly pauseMs: number;
  readonly pauseMsMax: number;
};

export const laneLimits: Omit<LaneLimits, "connectionsOf"> = {
  perLane: 256,
  total: 4096,
  failuresMax: 5,
  pauseMs: 5_000,
  pauseMsMax: 60_000,
};

/** Part of all slots that only lanes with nothing running may take, so that hanging lanes cannot take the last ones. */
const reserve = 0.25;
/** Endpoints a worker remembers as alive, for how long, and after how many yeses in a row. */
const aliveMax = 100_000;
const aliveMs = 60_000;
const aliveAfter = 5;

/** A waiting delivery, as far as choosing needs it. */
type Waiting = { readonly id: string; readonly lane: string; readonly dueAt: Date; readonly endpointId: string };

/**
 * A worker's lanes: how much of each runs, and whether its provider is well. Fair between lanes, whatever their backlog: each pass
 * gives every lane with room one slot in turn. After failures in a row a lane pauses and is then tried with one delivery at a time, so
 * that a provider that hangs holds one slot and not all of its lane's.
 *
 * An endpoint is sent to by one delivery at a time until its provider has taken several in a row, so that a dead address is tried once
 * and not by everything that was queued for it.
 */
export function createLanes(limits: LaneLimits) {
  const lanes = new Map<string, Lane>();
  const busyEndpoints = new Map<string, number>();
  const accepted = new Map<string, { inRow: number; untilMs: number }>();
  let running = 0;
  let passes = 0;

  const limitOf = (name: string): number => Math.min(limits.perLane, limits.connectionsOf(name));
  const roomOf = (name: string, nowMs: number): number => {
    const lane = lanes.get(name);
    if (lane === undefined) return limitOf(name);
    if (lane.openUntilMs > nowMs) return 0;
    const limit = lane.failures >= limits.failuresMax ? 1 : limitOf(name);
    return Math.max(0, limit - lane.running);
  };
  const isAlive = (endpointId: string, nowMs: number): boolean => {
    const known = accepted.get(endpointId);
    return known !== undefined && known.inRow >= aliveAfter && known.untilMs > nowMs;
  };

  const choose = (waiting: readonly Waiting[], nowMs: number): string[] => {
    const queues = new Map<string, Waiting[]>();
    for (const each of waiting) {
      if (each.dueAt.getTime() > nowMs) continue;
      const queue = queues.get(each.lane);
      if (queue === undefined) queues.set(each.lane, [each]);
      else queue.push(each);
    }
    const inOrder = [...queues].map(([name, queue]) => {
      const isIdle = (lanes.get(name)?.running ?? 0) === 0;
      return { queue, room: roomOf(name, nowMs), isIdle };
    });
    // Each pass begins with another lane, so that the last slots do not always go to the same ones.
    const first = inOrder.length === 0 ? 0 : passes % inOrder.length;
    const turns = [...inOrder.slice(first), ...inOrder.slice(0, first)];
    passes += 1;
    const taken = new Set<string>();
    const chosen: string[] = [];
    let free = limits.total - running;
    const kept = Math.floor(limits.total * reserve);
    for (let isFirst = true, progress = true; progress && free > 0; isFirst = false) {
      progress = false;
      for (const turn of turns) {
        if (turn.room <= 0 || free <= 0) continue;
        if (free <= kept && !(turn.isIdle && isFirst)) continue;
        const next = takeNext(turn.queue, taken, nowMs);
        if (next === null) continue;
        chosen.push(next.id);
        turn.room -= 1;
        free -= 1;
        progress = true;
      }
    }
    return chosen;
  };

  const takeNext = (queue: Waiting[], taken: Set<string>, nowMs: number): Waiting | null => {
    for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
      const { endpointId } = each;
      if (!isAlive(endpointId, nowMs) && (busyEndpoints.has(endpointId) || taken.has(endpointId))) continue;
      taken.add(endpointId);
      return each;
    }
    return null;
  };

  return {
    /** Ids to claim now, in turn over the lanes. */
    choose,
    running: (): number => running,
    /** Lanes whose breaker is open. */
    paused: (nowMs: number): number => [...lanes.values()].filter((lane) => lane.openUntilMs > nowMs).length,
    /** Is at least a quarter of a lane's slots free, so that claiming for it again is worth a pass while the others are still sending? */
    isHungry: (name: string, nowMs: number): boolean => roomOf(name, nowMs) * 4 >= limitOf(name),
    begin: (name: string, endpointId: string): void => {
      const lane = lanes.get(name) ?? { running: 0, failures: 0, openUntilMs: 0, pauseMs: limits.pauseMs };
      lane.running += 1;
      lanes.set(name, lane);
      busyEndpoints.set(endpointId, (busyEndpoints.get(endpointId) ?? 0) + 1);
      running += 1;
    },
    /** Records how a try ended; null when there was none, or it was cut off by us. */
    end: (name: string, endpointId: string, outcome: Outcome | null, nowMs: number): void => {
      running -= 1;
      const busy = (busyEndpoints.get(endpointId) ?? 1) - 1;
      if (busy > 0) busyEndpoints.set(endpointId, busy);
      else busyEndpoints.delete(endpointId);
      if (outcome?.kind === "accepted") remember(endpointId, nowMs);
      else if (outcome !== null) accepted.delete(endpointId);
      const lane = lanes.get(name);
      if (lane === undefined) return;
      lane.running -= 1;
      if (outcome !== null) judge(lane, outcome, nowMs);
      if (lane.running === 0 && lane.failures === 0) lanes.delete(name);
    },
  };

  function judge(lane: Lane, outcome: Outcome, nowMs: number): void {
    if (outcome.kind !== "retry") {
      lane.failures = 0;
      lane.openUntilMs = 0;
      lane.pauseMs = limits.pauseMs;
      return;
    }
    if (!outcome.isProviderWide) return;
    lane.failures += 1;
    // Tries that began before the breaker opened do not open it again.
    if (lane.failures < limits.failuresMax || lane.openUntilMs > nowMs) return;
    lane.openUntilMs = nowMs + lane.pauseMs;
    lane.pauseMs = Math.min(limits.pauseMsMax, lane.pauseMs * 2);
  }

  function remember(endpointId: string, nowMs: number): void {
    const known = accepted.get(endpointId);
    const inRow = known === undefined || known.untilMs <= nowMs ? 1 : known.inRow + 1;
    accepted.delete(endpointId);
    accepted.set(endpointId, { inRow, untilMs: nowMs + aliveMs });
    const [oldest] = accepted.keys();
    if (accepted.size > aliveMax && oldest !== undefined) accepted.delete(oldest);
  }
}

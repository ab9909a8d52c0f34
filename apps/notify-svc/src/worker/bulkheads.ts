import { type Taken, takeInTurn } from "@platform/service-kit/jobs/fair-queue";
import { createSemaphore } from "@platform/service-kit/jobs/semaphore";
import type { Outcome } from "../domain/delivery.ts";
import { type BreakerRule, CircuitBreaker } from "./circuit-breaker.ts";
import { createProvenEndpoints } from "./proven-endpoints.ts";

export type BulkheadLimits = BreakerRule & {
  /** Concurrent deliveries of one bulkhead. */
  readonly perLane: number;
  /** Connections of a bulkhead; no more is claimed, because it would only wait. */
  readonly connectionsOf: (lane: string) => number;
  /** Concurrent deliveries of all bulkheads. */
  readonly total: number;
};

export const bulkheadLimits: Omit<BulkheadLimits, "connectionsOf"> = {
  perLane: 256,
  total: 4096,
  failuresMax: 5,
  pauseMs: 5_000,
  pauseMsMax: 60_000,
};

/** Share of all permits reserved for bulkheads without one, so that hanging ones cannot take the last. */
const reserve = 0.25;

/** The fields of a waiting delivery that the choice needs. */
type Waiting = { readonly id: string; readonly lane: string; readonly dueAt: Date; readonly endpointId: string };

export type Bulkheads = ReturnType<typeof createBulkheads>;

/**
 * A worker's bulkheads: each has permits and the circuit breaker of its provider. Permits are given round robin, whatever the backlogs. An endpoint
 * is sent one delivery at a time until it has proven to be alive, so that a dead address is tried once and not by everything that was queued for it.
 */
export function createBulkheads(limits: BulkheadLimits) {
  const breakers = new Map<string, CircuitBreaker>();
  const endpoints = createProvenEndpoints();
  let passes = 0;
  let atMs = 0;

  const limitOf = (lane: string): number =>
    breakers.get(lane)?.isHalfOpen === true ? 1 : Math.min(limits.perLane, limits.connectionsOf(lane));
  const permits = createSemaphore({
    total: limits.total,
    by: {
      lane: limitOf,
      endpoint: (id) => (endpoints.isProven(id, atMs) ? Number.POSITIVE_INFINITY : 1),
    },
  });
  const reserved = Math.floor(limits.total * reserve);

  return {
    /** Takes permits for what may be sent now, round robin over the bulkheads. */
    choose: <W extends Waiting>(waiting: readonly W[], nowMs: number, most = limits.total): Taken<W>[] => {
      atMs = nowMs;
      return takeInTurn(
        waiting.filter(({ dueAt }) => dueAt.getTime() <= nowMs),
        {
          queueOf: ({ lane }) => lane,
          acquire: ({ lane, endpointId }) => {
            if (breakers.get(lane)?.isOpen(nowMs) === true) return null;
            const isLast = limits.total - permits.held() <= reserved;
            if (isLast && permits.heldBy("lane", lane) > 0) return null;
            return permits.tryAcquire({ lane, endpoint: endpointId });
          },
          most,
          first: passes++,
        },
      );
    },
    running: permits.held,
    /** Bulkheads whose breaker is open. */
    paused: (nowMs: number): number => [...breakers.values()].filter((breaker) => breaker.isOpen(nowMs)).length,
    /** Is a bulkhead's breaker open or half-open, because its provider fails? */
    isSuspended: (lane: string): boolean => breakers.get(lane)?.isHalfOpen === true,
    /** Is at least a quarter of a bulkhead's permits free, so that a further claim pays while the others are still sending? */
    isHungry: (lane: string): boolean => permits.freeFor("lane", lane) * 4 >= limitOf(lane),
    /** Records the result of an attempt. */
    record: (lane: string, endpointId: string, outcome: Outcome, nowMs: number): void => {
      endpoints.record(endpointId, outcome.kind === "accepted", nowMs);
      const breaker = breakers.get(lane) ?? new CircuitBreaker(limits);
      breaker.record(outcome, nowMs);
      if (breaker.isWell) breakers.delete(lane);
      else breakers.set(lane, breaker);
    },
  };
}

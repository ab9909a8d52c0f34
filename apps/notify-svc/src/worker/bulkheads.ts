import { createSemaphore, createTurns, type EndTurn, type Taken, takeRoundRobin } from "@platform/kit/jobs/pacing";
import type { Outcome } from "../domain/delivery.ts";
import { type BreakerRule, CircuitBreaker } from "./circuit-breaker.ts";
import { createProvenEndpoints } from "./proven-endpoints.ts";

export type BulkheadLimits = BreakerRule & {
  /** Maximum number of concurrent deliveries of one bulkhead. */
  readonly perBulkhead: number;
  /** Returns the number of connections of a bulkhead, and thus of the deliveries that can be sent at the same time. */
  readonly connectionsOf: (bulkhead: string) => number;
  /** Maximum number of concurrent deliveries of all bulkheads together. */
  readonly total: number;
};

export const bulkheadLimits: Omit<BulkheadLimits, "connectionsOf"> = {
  perBulkhead: 256,
  total: 4096,
  failuresMax: 5,
  pauseMs: 5_000,
  pauseMsMax: 60_000,
};

/**
 * Share of all permits that is reserved for bulkheads without permits, so that hanging bulkheads cannot use up all of
 * them.
 */
const reserve = 0.25;

/**
 * How many times as many deliveries of a bulkhead as it has connections are claimed ahead while its provider responds
 * quickly. Emails have few connections, and a claim of so few deliveries costs as much as one of many.
 */
const aheadTimes = 3;

/** The fields of a waiting delivery by which deliveries are chosen. */
type Waiting = { readonly id: string; readonly bulkhead: string; readonly endpointId: string };

export type Bulkheads = ReturnType<typeof createBulkheads>;

/**
 * A worker's bulkheads. Each has permits and the circuit breaker of its provider. Permits are assigned round robin,
 * regardless of the backlogs. A bulkhead gets as many as it has connections, and some more while its provider responds
 * quickly. An endpoint gets one delivery at a time until it has proven to be alive, so that a dead
 * address is tried only once and not by every delivery in its queue.
 */
export function createBulkheads(limits: BulkheadLimits) {
  const breakers = new Map<string, CircuitBreaker>();
  const endpoints = createProvenEndpoints();
  /** The endpoint of the last attempt in each suspended bulkhead. */
  const probed = new Map<string, string>();
  let passes = 0;
  let atMs = 0;

  /** Returns whether a bulkhead's breaker is open or half-open, because its provider fails. */
  const isSuspended = (bulkhead: string): boolean => breakers.get(bulkhead)?.isHalfOpen === true;
  const callsMaxOf = (bulkhead: string): number => Math.min(limits.perBulkhead, limits.connectionsOf(bulkhead));
  const turns = createTurns(callsMaxOf, aheadTimes);
  const limitOf = (bulkhead: string): number =>
    isSuspended(bulkhead) ? 1 : callsMaxOf(bulkhead) + turns.aheadOf(bulkhead);
  const permits = createSemaphore({
    total: limits.total,
    by: {
      bulkhead: limitOf,
      endpoint: (id) => (endpoints.isProven(id, atMs) ? Number.POSITIVE_INFINITY : 1),
    },
  });
  const reserved = Math.floor(limits.total * reserve);

  return {
    /**
     * Acquires permits for messages that may be sent now, round robin over the bulkheads. @param nowMs milliseconds by
     * a clock that never jumps, as for all functions of the bulkheads
     */
    choose: <W extends Waiting>(waiting: readonly W[], nowMs: number, most = limits.total): Taken<W>[] => {
      atMs = nowMs;
      // A suspended bulkhead is probed with a different endpoint than last time, if one is waiting, because the
      // endpoint may be the cause of the failure instead of the provider.
      const wasProbed = ({ bulkhead, endpointId }: W): boolean => probed.get(bulkhead) === endpointId;
      return takeRoundRobin(
        probed.size === 0 ? waiting : [...waiting.filter((each) => !wasProbed(each)), ...waiting.filter(wasProbed)],
        {
          queueOf: ({ bulkhead }) => bulkhead,
          acquire: ({ bulkhead, endpointId }) => {
            if (breakers.get(bulkhead)?.isOpen(nowMs) === true) return null;
            const isLast = limits.total - permits.held() <= reserved;
            if (isLast && permits.heldBy("bulkhead", bulkhead) > 0) return null;
            return permits.tryAcquire({ bulkhead, endpoint: endpointId });
          },
          most,
          first: passes++,
        },
      );
    },
    /**
     * Waits until a claimed delivery may be sent. Returns null if this takes too long, or if meanwhile the provider begins
     * to fail or the endpoint does not accept another delivery.
     */
    takeTurn: async ({ bulkhead, endpointId }: Omit<Waiting, "id">): Promise<EndTurn | null> => {
      const [wasSuspended, wasProven] = [isSuspended(bulkhead), endpoints.isProven(endpointId, atMs)];
      const endTurn = await turns.take(bulkhead);
      const isWell = wasSuspended || !isSuspended(bulkhead);
      if (isWell && (!wasProven || endpoints.isProven(endpointId, atMs))) return endTurn;
      endTurn?.();
      return null;
    },
    running: permits.held,
    /** Number of bulkheads whose circuit breaker is open. */
    paused: (nowMs: number): number => [...breakers.values()].filter((breaker) => breaker.isOpen(nowMs)).length,
    isSuspended,
    /** True if at least a quarter of a bulkhead's permits are free, so that another claim is worthwhile while the others are still sending. */
    isHungry: (bulkhead: string): boolean => permits.freeFor("bulkhead", bulkhead) * 4 >= limitOf(bulkhead),
    /** Records the result of an attempt. */
    record: (bulkhead: string, endpointId: string, outcome: Outcome, nowMs: number): void => {
      endpoints.record(endpointId, outcome.kind === "accepted", nowMs);
      const breaker = breakers.get(bulkhead) ?? new CircuitBreaker(limits);
      breaker.record(outcome, nowMs);
      if (breaker.isWell) breakers.delete(bulkhead);
      else breakers.set(bulkhead, breaker);
      if (breaker.isHalfOpen) probed.set(bulkhead, endpointId);
      else probed.delete(bulkhead);
    },
  };
}

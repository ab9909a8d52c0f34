import { LRUCache } from "lru-cache";
import type { Admission, TrafficRefusal } from "../redis/admission.ts";

/** What the answer to a refused request says. */
export type RememberedRefusal = { readonly used: number; readonly limit: number; readonly retryAfterSeconds: number };

export type TrafficRefusals = {
  /** Is anything remembered at all? */
  isEmpty(): boolean;
  /** What Redis would answer for this counter now, when it is known to be a refusal. Null also for the one request a second that is to ask it. */
  find(key: string, limit: number): RememberedRefusal | null;
  /** The same for a request that will be found again if it is not refused now: it does not count as the one that asks. */
  look(key: string, limit: number): RememberedRefusal | null;
  /** An admission that remembers the refusals Redis gives. */
  remembering(admission: Admission): Admission;
};

/** Redis is asked anew so often for each counter: it may have lost the counter, and then it admits. */
const askAgainMs = 1_000;

/** Counters whose refusals are remembered. */
const keysMax = 10_000;

type Known = { readonly used: number; readonly limit: number; readonly endsAtMs: number; askAgainAtMs: number };

/**
 * Remembers that a Project Client has used up its traffic until the window's end, so that a flood of requests that will be refused costs
 * neither a step of Redis nor any parsing. Only refusals are remembered, never room: a full counter stays full until its window ends,
 * while one with room may be filled by another gateway at any moment.
 * @param nowMs a clock that never goes back, in milliseconds
 */
export function createTrafficRefusals(nowMs: () => number = () => performance.now()): TrafficRefusals {
  const known = new LRUCache<string, Known>({ max: keysMax });

  const note = (key: string, { used, limit, windowLeftMs }: TrafficRefusal, askedAtMs: number): void => {
    // Redis answered after it was asked, so its window does not end before this.
    known.set(key, { used, limit, endsAtMs: askedAtMs + windowLeftMs, askAgainAtMs: nowMs() + askAgainMs });
  };

  const find = (key: string, limit: number, isAsking: boolean): RememberedRefusal | null => {
    const refusal = known.get(key);
    if (refusal === undefined) return null;
    const now = nowMs();
    // Another limit is another question.
    if (refusal.limit !== limit || now >= refusal.endsAtMs) {
      known.delete(key);
      return null;
    }
    if (now >= refusal.askAgainAtMs) {
      if (isAsking) refusal.askAgainAtMs = now + askAgainMs;
      return null;
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((refusal.endsAtMs - now) / 1_000));
    return { used: refusal.used, limit, retryAfterSeconds };
  };

  return {
    isEmpty: () => known.size === 0,
    find: (key, limit) => find(key, limit, true),
    look: (key, limit) => find(key, limit, false),
    remembering: (admission) => ({
      ...admission,
      admit: async (request) => {
        const askedAtMs = nowMs();
        const result = await admission.admit(request);
        if (request.traffic === null) return result;
        if (result.outcome.kind === "traffic_exceeded") note(request.traffic.key, result.outcome.refusal, askedAtMs);
        else known.delete(request.traffic.key);
        return result;
      },
    }),
  };
}

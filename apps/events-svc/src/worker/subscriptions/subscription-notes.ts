/** Time in which nothing is recorded for a subscription that has as many unfinished runs as it may have. */
export type FullPause = { readonly pauseMs: number; readonly untilMs: number };

/**
 * Duration of the first pause in milliseconds. The unfinished runs suffice for this time even if they are called as fast as
 * possible.
 */
const firstPauseMs = 200;
/** Duration of the longest pause in milliseconds, for a target that has not responded for seconds. */
const longestPauseMs = 1_600;

/**
 * Returns the pause after a subscription was found full. It is twice as long as the pause before it. Otherwise the runs and
 * events of a target that hangs would be read in vain at each step.
 * @param before the pause that has just ended; null if there was none
 * @param nowMs value of `performance.now()`
 */
export function nextFullPause(before: FullPause | null, nowMs: number): FullPause {
  const pauseMs = before === null ? firstPauseMs : Math.min(2 * before.pauseMs, longestPauseMs);
  return { pauseMs, untilMs: nowMs + pauseMs };
}

/** What a worker remembers of a subscription between two steps. Times are values of `performance.now()`. */
export type SubscriptionNote = {
  /** Time of the last search for streams whose next run was not released because its worker died. */
  lanesReleasedAtMs: number;
  /** Index of the held lane with which the next step starts. */
  heldFrom: number;
  /** Time at which held lanes were last found without capacity. */
  heldLookedAtMs: number;
  /** The pause of a subscription that was found full; null if it was not full at the last step. */
  full: FullPause | null;
  /** Time at which the position last changed. */
  movedAtMs: number;
};

/** What a worker remembers of the active subscriptions. */
export type SubscriptionNotes = {
  of(subscriptionId: string): SubscriptionNote;
  /** Removes what is remembered of all other subscriptions, so that nothing is left of deleted ones. */
  keepOnly(subscriptionIds: ReadonlySet<string>): void;
  count(): number;
};

export function createSubscriptionNotes(): SubscriptionNotes {
  const notes = new Map<string, SubscriptionNote>();
  return {
    of: (id) =>
      notes.getOrInsertComputed(id, () => ({
        lanesReleasedAtMs: 0,
        heldFrom: 0,
        heldLookedAtMs: Number.NEGATIVE_INFINITY,
        full: null,
        movedAtMs: Number.NEGATIVE_INFINITY,
      })),
    keepOnly: (ids) => {
      for (const id of notes.keys()) if (!ids.has(id)) notes.delete(id);
    },
    count: () => notes.size,
  };
}

/** What a worker remembers of a subscription between two steps. Times are values of `performance.now()`. */
export type SubscriptionNote = {
  /** Time of the last search for streams whose next run was not released because its worker died. */
  lanesReleasedAtMs: number;
  /** Index of the held lane with which the next step starts. */
  heldFrom: number;
  /** Time at which held lanes were last found without capacity. */
  heldLookedAtMs: number;
  /** Time at which the subscription was last found full; null if it was not full at the last step. */
  fullAtMs: number | null;
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
        fullAtMs: null,
        movedAtMs: Number.NEGATIVE_INFINITY,
      })),
    keepOnly: (ids) => {
      for (const id of notes.keys()) if (!ids.has(id)) notes.delete(id);
    },
    count: () => notes.size,
  };
}

/** Something with a deadline that is told when it has passed. */
export type Expiring = {
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly isSettled: boolean;
  expire(): void;
};

export type DeadlineWheel = {
  add(entry: Expiring): void;
  stop(): void;
};

/** Width of a slot in milliseconds: a deadline is noticed at most this much and one turn of the event loop late. */
const slotMs = 20;

/** One timer for any number of deadlines: a timer for each call would cost more than the call. */
export function createDeadlineWheel(): DeadlineWheel {
  const slots = new Map<number, Expiring[]>();
  let timer: NodeJS.Timeout | null = null;
  let turnedTo = 0;

  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const turn = (): void => {
    const now = Math.floor(Date.now() / slotMs);
    // A clock that jumped has more slots behind it than there are entries: those are then looked for among the slots instead.
    const passed = now - turnedTo > slots.size ? [...slots.keys()].filter((slot) => slot < now) : range(turnedTo, now);
    turnedTo = now;
    for (const slot of passed) {
      const entries = slots.get(slot);
      if (entries === undefined) continue;
      slots.delete(slot);
      for (const entry of entries) if (!entry.isSettled) entry.expire();
    }
    if (slots.size === 0) stop();
  };
  return {
    add: (entry) => {
      // Past deadlines go into the slot that is turned next.
      const now = Math.floor(Date.now() / slotMs);
      if (timer === null) {
        turnedTo = now;
        timer = setInterval(turn, slotMs);
        timer.unref();
      }
      const slot = Math.max(Math.floor(entry.deadlineMs / slotMs), turnedTo);
      const entries = slots.get(slot);
      if (entries === undefined) slots.set(slot, [entry]);
      else entries.push(entry);
    },
    stop: () => {
      stop();
      slots.clear();
    },
  };
}

function* range(from: number, to: number): Generator<number> {
  for (let slot = from; slot < to; slot += 1) yield slot;
}

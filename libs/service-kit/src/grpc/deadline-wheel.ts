/** Something with a deadline that is told when it has passed. `previous` and `next` are the wheel's; both are null outside of it. */
export type Expiring = {
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  previous: Expiring | Slot | null;
  next: Expiring | Slot | null;
  expire(): void;
};

/** The ring of all entries whose deadlines fall into the same slot; begins and ends with the slot itself. */
type Slot = { previous: Expiring | Slot; next: Expiring | Slot; readonly isSlot: true };

export type DeadlineWheel = {
  add(entry: Expiring): void;
  /** Lets go of an entry at once: one that was kept until its deadline would outlive what it waited for by seconds. */
  remove(entry: Expiring): void;
  /** Entries it holds. */
  size(): number;
};

/** Width of a slot in milliseconds: a deadline is noticed at most this much and one turn of the event loop late. */
const slotMs = 20;

/** One timer for any number of deadlines: a timer for each call would cost more than the call. */
export function createDeadlineWheel(): DeadlineWheel {
  const slots = new Map<number, Slot>();
  let timer: NodeJS.Timeout | null = null;
  let turnedTo = 0;
  let size = 0;

  const remove = (entry: Expiring): void => {
    if (entry.previous === null || entry.next === null) return;
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
    size -= 1;
  };
  const expireAll = (slot: Slot): void => {
    for (let entry = slot.next; !("isSlot" in entry); entry = slot.next) {
      remove(entry);
      entry.expire();
    }
  };
  const turn = (): void => {
    const now = Math.floor(Date.now() / slotMs);
    // A clock that jumped has more slots behind it than there are: those are then looked for among the slots instead.
    const passed = now - turnedTo > slots.size ? [...slots.keys()].filter((slot) => slot < now) : range(turnedTo, now);
    turnedTo = now;
    for (const number of passed) {
      const slot = slots.get(number);
      if (slot === undefined) continue;
      slots.delete(number);
      expireAll(slot);
    }
    if (size > 0 || timer === null) return;
    slots.clear();
    clearInterval(timer);
    timer = null;
  };
  return {
    add: (entry) => {
      if (timer === null) {
        turnedTo = Math.floor(Date.now() / slotMs);
        timer = setInterval(turn, slotMs);
        timer.unref();
      }
      // Past deadlines go into the slot that is turned next.
      const number = Math.max(Math.floor(entry.deadlineMs / slotMs), turnedTo);
      let slot = slots.get(number);
      if (slot === undefined) {
        slot = emptySlot();
        slots.set(number, slot);
      }
      entry.previous = slot.previous;
      entry.next = slot;
      slot.previous.next = entry;
      slot.previous = entry;
      size += 1;
    },
    remove,
    size: () => size,
  };
}

function emptySlot(): Slot {
  const slot = { isSlot: true } as Slot;
  slot.previous = slot;
  slot.next = slot;
  return slot;
}

function* range(from: number, to: number): Generator<number> {
  for (let slot = from; slot < to; slot += 1) yield slot;
}

/** Releases units of a limiter. It must be called only once. */
export type Release = () => void;

/** Shares a capacity among callers. */
export type FairLimiter = {
  /**
   * Acquires `units` for `caller`, either immediately or in round robin with the other callers.
   * @param signal called only if the request has to wait; the request leaves the queue when the signal aborts
   * @returns null if the request is rejected because the queue is full, it waited for too long, or its signal aborted
   */
  enter(caller: string, units: number, signal: () => AbortSignal): Release | null | Promise<Release | null>;
  /** True if several callers have sent requests within the last ten seconds. */
  isShared(): boolean;
};

/** Limits of a limiter. */
export type FairLimiterOptions = {
  /** Number of units that callers share. */
  readonly capacity: number;
  /** Number of units that a caller may use while it is the only one; by default the shared capacity. */
  readonly capacityAlone?: number;
  /**
   * Number of waiting requests that are admitted per event-loop tick while several callers share the capacity;
   * unlimited by default.
   */
  readonly sharedPerTick?: number;
  /**
   * Length of the queue above which callers are limited to an equal share of it. The queue never contains more than
   * twice as many requests.
   */
  readonly queueMax: number;
  /** Longest wait of a request, in milliseconds. */
  readonly waitMs: number;
};

/** A caller counts as the only one if no other has sent a request for this many milliseconds. */
const aloneAfterMs = 10_000;

type Waiting = { readonly units: number; readonly settle: (release: Release | null) => void };
type Caller = { readonly name: string; inUse: number; readonly queue: Waiting[] };

/**
 * Creates a fair limiter; see README.md. The map contains callers while they use or wait for units, in round-robin
 * order.
 */
export function createFairLimiter(options: FairLimiterOptions): FairLimiter {
  const { capacity, capacityAlone = capacity, sharedPerTick = Number.POSITIVE_INFINITY, queueMax, waitMs } = options;
  const callers = new Map<string, Caller>();
  let lastName = "";
  let sharedUntilMs = 0;
  let inUse = 0;
  let waiting = 0;
  let admittedThisTick = 0;

  const isShared = (): boolean => performance.now() < sharedUntilMs;

  /** Returns whether this tick has already admitted its maximum number of waiting requests. */
  const isTickFull = (): boolean => admittedThisTick >= sharedPerTick && isShared();

  const callerOf = (name: string): Caller => {
    const caller = callers.get(name) ?? { name, inUse: 0, queue: [] };
    callers.set(name, caller);
    return caller;
  };
  const forgetIdle = (caller: Caller): void => {
    if (caller.inUse === 0 && caller.queue.length === 0) callers.delete(caller.name);
  };

  /** Returns whether the caller is within its equal share of the capacity. A caller that uses nothing always is. */
  const isWithinShare = (caller: Caller, units: number): boolean =>
    caller.inUse === 0 || caller.inUse + units <= capacity / callers.size;

  /**
   * If too few units are free, only callers within their share are admitted. Shares add up to the capacity, so usage is
   * bounded.
   */
  const fits = (caller: Caller, units: number): boolean => {
    if (inUse === 0) return true;
    if (isWithinShare(caller, units)) return inUse + units <= capacityAlone + capacity;
    return inUse + units <= (isShared() ? capacity : capacityAlone);
  };

  const noteCaller = (name: string): void => {
    if (lastName !== name && lastName !== "") sharedUntilMs = performance.now() + aloneAfterMs;
    lastName = name;
  };

  const take = (caller: Caller, units: number): Release => {
    caller.inUse += units;
    inUse += units;
    return () => {
      caller.inUse -= units;
      inUse -= units;
      forgetIdle(caller);
      serveWaiting();
    };
  };

  /** Returns the next caller: the first one within its share, otherwise the first one. */
  const nextCaller = (): Caller | null => {
    let first: Caller | null = null;
    for (const caller of callers.values()) {
      const [head] = caller.queue;
      if (head === undefined) continue;
      if (isWithinShare(caller, head.units)) return caller;
      first ??= caller;
    }
    return first;
  };

  /**
   * Returns whether a new request may overtake all waiting ones. It may only if their callers are above their share or
   * they wait for the next tick, and none of them belongs to the same caller.
   */
  const isNext = (caller: Caller, units: number): boolean => {
    if (waiting === 0) return true;
    if (caller.queue.length > 0 || !isWithinShare(caller, units)) return false;
    if (isTickFull()) return true;
    const next = nextCaller();
    return next?.queue[0] === undefined || !isWithinShare(next, next.queue[0].units);
  };

  const serveWaiting = (): void => {
    while (waiting > 0) {
      if (isTickFull()) return;
      const caller = nextCaller();
      const [head] = caller?.queue ?? [];
      // No other caller overtakes the next one, because its large request might otherwise wait forever.
      if (caller === null || head === undefined || !fits(caller, head.units)) return;
      leaveQueue(caller, head);
      callers.delete(caller.name);
      callers.set(caller.name, caller);
      admittedThisTick += 1;
      if (admittedThisTick === sharedPerTick) setImmediate(beginTick);
      head.settle(take(caller, head.units));
    }
  };

  const beginTick = (): void => {
    admittedThisTick = 0;
    serveWaiting();
  };

  const leaveQueue = (caller: Caller, entry: Waiting): void => {
    const at = caller.queue.indexOf(entry);
    if (at < 0) return;
    // The request is nearly always the first one. `shift` removes it faster than `splice`, which takes 3 µs in a long
    // queue.
    if (at === 0) caller.queue.shift();
    else caller.queue.splice(at, 1);
    waiting -= 1;
  };

  const wait = async (caller: Caller, units: number, signal: AbortSignal): Promise<Release | null> => {
    const { promise, resolve } = Promise.withResolvers<Release | null>();
    const entry: Waiting = { units, settle: resolve };
    caller.queue.push(entry);
    waiting += 1;
    const giveUp = (): void => {
      leaveQueue(caller, entry);
      forgetIdle(caller);
      resolve(null);
      // The next request in the queue may fit now.
      serveWaiting();
    };
    const timer = setTimeout(giveUp, waitMs);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    const release = await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    return release;
  };

  return {
    isShared,
    enter: (name, units, signal) => {
      noteCaller(name);
      const caller = callerOf(name);
      if (isNext(caller, units) && fits(caller, units)) return take(caller, units);
      const isQueueFull = waiting >= queueMax && caller.queue.length >= queueMax / callers.size;
      if (!isQueueFull && waiting < 2 * queueMax) return wait(caller, units, signal());
      forgetIdle(caller);
      return null;
    },
  };
}

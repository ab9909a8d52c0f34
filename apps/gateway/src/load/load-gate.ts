/** Why a request is not let in: the process is full, or its caller has more than its share while the process does not keep up. */
export type ShedReason = "in_flight" | "event_loop";

export type LoadGate = {
  /**
   * Lets a caller's request in at once (null), or says why not, or has it wait for its turn. Each request that was let in must `leave`.
   * @param signal aborts when the caller goes away; a waiting request is then forgotten
   */
  enter(caller: string, signal: AbortSignal): ShedReason | null | Promise<ShedReason | null>;
  leave(caller: string): void;
  /** Judges the last moments: while the processor is saturated fewer run at once, else more. Called by a timer. */
  adjust(): void;
  /** Requests running and waiting. */
  inFlight(): number;
};

type LoadGateOptions = {
  /** Requests in flight from which on callers are held to their share. A caller below its share is let in up to twice as many. */
  readonly inFlightMax: number;
  /** Requests in flight that callers share while the event loop stays late. */
  readonly inFlightPressed: number;
  /** Has the event loop been late for longer than a burst lasts? */
  readonly isPressed: () => boolean;
  /** Had the processor hardly a free moment since this was last asked? */
  readonly isSaturated: () => boolean;
};

/** Least share of a caller, so that many callers at once do not lock each other out. */
const shareMin = 4;

/** Requests that run at once are never held below this: enough to keep a processor busy while Redis and the services answer. */
const windowMin = 16;

/** Calls of `adjust` for which a caller that has nothing in flight still counts: one that waits for each answer is no less there. */
const idleTicksMax = 20;

type Caller = { running: number; idleTicks: number; readonly waiting: ((reason: ShedReason | null) => void)[] };

/**
 * Decides by counting, before a request costs anything. While the processor has free moments everyone is let in. When it has none, more
 * requests at once would only wait for each other inside: as soon as there is more than one caller fewer run, and callers take turns, so
 * that whoever sends little waits behind little. When the process is full, or stays late, whoever holds more than an equal share is refused. One caller's flood is thus its own.
 */
export function createLoadGate({ inFlightMax, inFlightPressed, isPressed, isSaturated }: LoadGateOptions): LoadGate {
  const callers = new Map<string, Caller>();
  let running = 0;
  let waiting = 0;
  let window = inFlightMax;

  const share = (of: number): number => Math.max(shareMin, Math.floor(of / Math.max(1, callers.size)));

  const refusal = (held: number): ShedReason | null => {
    const total = running + waiting;
    if (total >= inFlightMax && (total >= 2 * inFlightMax || held >= share(inFlightMax))) return "in_flight";
    if (total >= inFlightPressed && held >= share(inFlightPressed) && isPressed()) return "event_loop";
    return null;
  };

  /** Lets one waiting request run: the callers' turns go round, and one below its share goes before one above. */
  const releaseOne = (): boolean => {
    const most = share(window);
    let chosen: [string, Caller] | null = null;
    for (const entry of callers) {
      if (entry[1].waiting.length === 0) continue;
      if (entry[1].running < most) {
        chosen = entry;
        break;
      }
      chosen ??= running < window ? entry : null;
    }
    if (chosen === null) return false;
    const [name, caller] = chosen;
    // To the end of the round.
    callers.delete(name);
    callers.set(name, caller);
    const release = caller.waiting.shift();
    waiting -= 1;
    caller.running += 1;
    running += 1;
    release?.(null);
    return true;
  };

  const wait = (caller: Caller, signal: AbortSignal): Promise<ShedReason | null> =>
    new Promise((resolve) => {
      const gone = (): void => {
        const at = caller.waiting.indexOf(release);
        if (at < 0) return;
        caller.waiting.splice(at, 1);
        waiting -= 1;
        resolve("in_flight");
      };
      const release = (reason: ShedReason | null): void => {
        signal.removeEventListener("abort", gone);
        resolve(reason);
      };
      signal.addEventListener("abort", gone);
      caller.waiting.push(release);
      waiting += 1;
    });

  return {
    enter: (name, signal) => {
      let caller = callers.get(name);
      if (caller === undefined) {
        caller = { running: 0, idleTicks: 0, waiting: [] };
        callers.set(name, caller);
      }
      const reason = refusal(caller.running + caller.waiting.length);
      if (reason !== null) return reason;
      const isAlone = callers.size === 1 && caller.waiting.length === 0;
      const mustWait = !isAlone && caller.running >= share(window) && (running >= window || caller.waiting.length > 0);
      if (mustWait) return wait(caller, signal);
      caller.running += 1;
      running += 1;
      return null;
    },
    leave: (name) => {
      const caller = callers.get(name);
      if (caller === undefined) return;
      caller.running -= 1;
      running -= 1;
      if (waiting > 0 && running < window) releaseOne();
    },
    adjust: () => {
      for (const [name, caller] of callers) {
        caller.idleTicks = caller.running + caller.waiting.length === 0 ? caller.idleTicks + 1 : 0;
        if (caller.idleTicks > idleTicksMax) callers.delete(name);
      }
      window = isSaturated()
        ? Math.max(windowMin, Math.floor(Math.min(window, running) * 0.8))
        : Math.min(inFlightMax, Math.ceil(window * 1.25) + 16);
      while (waiting > 0 && running < window && releaseOne());
    },
    inFlight: () => running + waiting,
  };
}

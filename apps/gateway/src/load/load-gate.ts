import { nextWindow, windowIdle } from "./load-window.ts";

/** Why a request is not let in: the process is full, or its caller has more than its share while the process does not keep up. */
export type ShedReason = "in_flight" | "event_loop";

export type LoadGate = {
  /** Why a caller's request is refused now, or null. Asked before anything else is done for the request. */
  refusal(caller: string): ShedReason | null;
  /**
   * Lets a caller's request in: `begin` is called at once, or when it is the request's turn. Each request that began must `leave`.
   * @returns null when it began; else what is to be called when the caller goes away while it waits: then it never begins
   */
  enter(caller: string, begin: () => void): (() => void) | null;
  leave(caller: string): void;
  /**
   * A request of the caller has been answered. Should what its connection brings next be left unread for now? Then `resume` is called when
   * it is to be read.
   */
  hold(caller: string, resume: () => void): boolean;
  /** A request of this caller turned out to be another's: it is no caller any more once it has nothing in flight, and not only after a while. */
  misnamed(caller: string): void;
  /** Judges the last moments. Called every 50 ms. */
  adjust(): void;
  /** Requests running and waiting, and connections that are not read, each of which most likely holds one. */
  inFlight(): number;
  /** Callers that were refused something in the last second; Infinity when there is no other. */
  refusedCallers(): number;
};

type LoadGateOptions = {
  /** Requests in flight from which on callers are held to their share. A caller below its share is let in up to twice as many. */
  readonly inFlightMax: number;
  /** Requests in flight that callers share while the event loop stays late, that are never too many otherwise, and beyond which much is asked. */
  readonly inFlightPressed: number;
  /** Has the event loop been late for longer than a burst lasts? */
  readonly isPressed: () => boolean;
  /** Had the processor hardly a free moment since this was last asked? */
  readonly isSaturated: () => boolean;
  /** How many times longer than at best do requests take, since this was last asked? */
  readonly slowdown: () => number;
};

/** Least share of a caller, so that many callers at once do not lock each other out. */
const shareMin = 2;

/** What may run at once of a caller that is alone: whom should it wait for? More at once would only make each turn of the event loop longer. */
const windowAlone = 128;

/**
 * Requests that begin in one turn of the event loop while several callers share it: what one of them sends at once must not become one long
 * turn, which the others would wait for. Beside refusals of several callers, which make turns long, it would only keep work from being done.
 */
const turnMax = 10;

/** Calls of `adjust` for which a caller that has nothing in flight still counts: one that sends little is no less there. */
const idleTicksMax = 200;

/** Requests of one caller that wait before what its connections bring next is left unread: enough to begin with in the next turns. */
const heldFrom = 32;

/** Work that may be in flight when much has been asked for a while, in calls of `adjust`: a tenth of a second of it. */
const inFlightTicks = 2;

/** Calls of `adjust` until what is asked is more than a burst: a second. */
const standingTicks = 20;

type Caller = {
  running: number;
  /** The last turn of the event loop in which one of its requests began, and how many did. */
  turn: number;
  begun: number;
  idleTicks: number;
  /** Calls of `adjust` since it was refused something. */
  unrefusedTicks: number;
  readonly waiting: (() => void)[];
  /** What has its connections read again. */
  readonly held: (() => void)[];
  /** Did one leave since the last connection was read again? */
  isOwed: boolean;
};

/**
 * Decides by counting, before a request costs anything. While the processor has free moments, and requests take no longer than at their best,
 * everyone is let in, of several callers so many in each turn of the event loop. Otherwise more requests at once would only wait for each
 * other, here or in the services: as soon as there is more than one caller few run, and callers take turns, so that whoever sends little waits
 * behind little. A burst is taken up to `inFlightMax` and worked off; when much is asked for longer than a second, what is in flight is
 * bounded by what gets done in a tenth of a second. Beyond these bounds, or when the process stays late, whoever holds more than an equal
 * share is refused. One caller's flood is thus its own.
 */
export function createLoadGate(options: LoadGateOptions): LoadGate {
  const { inFlightMax, inFlightPressed, isPressed, isSaturated, slowdown } = options;
  const callers = new Map<string, Caller>();
  /** The same in the order of their turns. Not the map's own order: see IdTable for what a map costs that changes with every request. */
  const turns: Caller[] = [];
  let running = 0;
  let waiting = 0;
  let held = 0;
  let window = windowIdle;
  let mostRunning = 0;
  /** Requests done between two calls of `adjust`, smoothed over the last ones in which much was asked. */
  let pace = 0;
  /** Calls of `adjust` in which much was asked, less those in which it was not: a burst is over before they are `standingTicks`. */
  let ticksPressed = 0;
  let isStanding = false;
  let refusedCallers = 0;
  let done = 0;
  let hasRefused = false;
  /** Those that left within this turn of the event loop. */
  let left: Caller[] = [];
  /** Turns of the event loop, as far as something began in them. */
  let turn = 0;
  let hasBegun = false;

  const isAlone = (): boolean => callers.size === 1;
  const inFlight = (): number => running + waiting + held;
  const inFlightOf = (caller: Caller): number => caller.running + caller.waiting.length + caller.held.length;
  const isRefusingMany = (): boolean => refusedCallers > 1;
  const room = (): number => (isAlone() ? Math.max(window, windowAlone) : window);
  const share = (of: number): number => Math.max(shareMin, Math.floor(of / Math.max(1, callers.size)));

  const callerOf = (name: string): Caller => {
    let caller = callers.get(name);
    if (caller === undefined) {
      caller = {
        running: 0,
        turn: -1,
        begun: 0,
        idleTicks: 0,
        unrefusedTicks: standingTicks,
        waiting: [],
        held: [],
        isOwed: false,
      };
      callers.set(name, caller);
      turns.push(caller);
    }
    return caller;
  };

  const count = (caller: Caller): void => {
    caller.running += 1;
    running += 1;
    if (running > mostRunning) mostRunning = running;
    if (caller.turn !== turn) caller.begun = 0;
    caller.turn = turn;
    caller.begun += 1;
    if (hasBegun) return;
    hasBegun = true;
    setImmediate(nextTurn);
  };

  const nextTurn = (): void => {
    turn += 1;
    hasBegun = false;
    releaseAll();
  };

  const mayBegin = (caller: Caller): boolean =>
    caller.turn !== turn || caller.begun < share(turnMax) || isAlone() || isRefusingMany();

  /** Lets one waiting request run: the callers' turns go round, and one below its share goes before one above. */
  const releaseOne = (): boolean => {
    const most = room();
    const each = share(most);
    let chosen = -1;
    for (const [at, caller] of turns.entries()) {
      if (caller.waiting.length === 0 || !mayBegin(caller)) continue;
      if (caller.running < each) {
        chosen = at;
        break;
      }
      if (chosen < 0 && running < most) chosen = at;
    }
    const caller = turns[chosen];
    if (caller === undefined) return false;
    // To the end of the round.
    turns.splice(chosen, 1);
    turns.push(caller);
    const begin = caller.waiting.shift();
    waiting -= 1;
    count(caller);
    begin?.();
    return true;
  };

  const releaseAll = (): void => {
    while (waiting > 0 && running < room() && releaseOne());
  };

  /** What a turn's leaving requests held is free only after it: else a flood of quick answers would all be one long turn. */
  const endTurn = (): void => {
    const ended = left;
    left = [];
    for (const caller of ended) caller.running -= 1;
    running -= ended.length;
    releaseAll();
    for (const caller of ended) if (caller.held.length > 0) readOn(caller);
  };

  const resume = (caller: Caller, count: number): void => {
    for (const again of caller.held.splice(0, count)) {
      held -= 1;
      again();
    }
  };

  /**
   * For each request that left: two connections while few requests wait, for not each of them brings one at once; else one for every other,
   * so that fewer wait, and yet those that are not read do not wait for ever behind new ones.
   */
  const readOn = (caller: Caller): void => {
    caller.isOwed = !caller.isOwed;
    if (caller.waiting.length < heldFrom) resume(caller, 2);
    else if (!caller.isOwed) resume(caller, 1);
  };

  const wait = (caller: Caller, begin: () => void): (() => void) => {
    caller.waiting.push(begin);
    waiting += 1;
    return () => {
      const at = caller.waiting.indexOf(begin);
      if (at < 0) return;
      caller.waiting.splice(at, 1);
      waiting -= 1;
    };
  };

  return {
    refusal: (name) => {
      const total = inFlight();
      if (total < inFlightPressed && total < inFlightMax) return null;
      const caller = callers.get(name);
      const own = caller === undefined ? 0 : inFlightOf(caller);
      const most = isStanding ? Math.min(inFlightMax, Math.max(inFlightPressed, pace * inFlightTicks)) : inFlightMax;
      let reason: ShedReason | null = null;
      if (total >= inFlightPressed && own >= share(inFlightPressed) && isPressed()) reason = "event_loop";
      else if (total >= most && (total >= 2 * inFlightMax || own >= share(most))) reason = "in_flight";
      if (reason !== null) {
        hasRefused = true;
        if (caller !== undefined) caller.unrefusedTicks = 0;
      }
      return reason;
    },
    enter: (name, begin) => {
      const caller = callerOf(name);
      const most = room();
      const isPastShare = caller.running >= share(most) && (running >= most || caller.waiting.length > 0);
      if (isPastShare || !mayBegin(caller)) return wait(caller, begin);
      count(caller);
      begin();
      return null;
    },
    leave: (name) => {
      const caller = callers.get(name);
      if (caller === undefined) return;
      done += 1;
      if (left.push(caller) === 1) setImmediate(endTurn);
    },
    hold: (name, again) => {
      const caller = callers.get(name);
      if (caller === undefined || isAlone() || isRefusingMany() || caller.waiting.length < heldFrom) return false;
      caller.held.push(again);
      held += 1;
      return true;
    },
    misnamed: (name) => {
      const caller = callers.get(name);
      if (caller !== undefined) caller.idleTicks = idleTicksMax;
    },
    adjust: () => {
      refusedCallers = 0;
      for (const [name, caller] of callers) {
        caller.unrefusedTicks += 1;
        if (caller.unrefusedTicks <= standingTicks) refusedCallers += 1;
        caller.idleTicks = inFlightOf(caller) === 0 ? caller.idleTicks + 1 : 0;
        if (caller.idleTicks <= idleTicksMax) continue;
        callers.delete(name);
        turns.splice(turns.indexOf(caller), 1);
      }
      if (refusedCallers > 0 && refusedCallers >= callers.size) refusedCallers = Number.POSITIVE_INFINITY;
      // What little is asked says nothing about how much could be done.
      const isMuch = hasRefused || inFlight() >= inFlightPressed;
      if (isMuch) pace = pace * 0.8 + done * 0.2;
      done = 0;
      hasRefused = false;
      ticksPressed = isMuch ? Math.min(standingTicks, ticksPressed + 1) : Math.max(0, ticksPressed - 1);
      if (ticksPressed === standingTicks) isStanding = true;
      else if (ticksPressed === 0) isStanding = false;
      const last = { window, running, mostRunning, refusedCallers };
      window = nextWindow({ ...last, isSaturated: isSaturated(), slowdown: slowdown() });
      mostRunning = running;
      releaseAll();
      // Beside refusals of several everything is read, to be judged; and where none waits, none may leave that would have the rest read.
      for (const caller of turns)
        if (isRefusingMany() || caller.waiting.length === 0) resume(caller, caller.held.length);
    },
    inFlight,
    refusedCallers: () => refusedCallers,
  };
}

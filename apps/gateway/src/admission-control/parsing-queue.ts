/** Takes turns in the synchronous work on large bodies. */
export type ParsingQueue = {
  /**
   * Runs `work` in an event-loop tick of its own, and charges the time that it takes to the caller.
   * @param signal a request whose signal has aborted is not worked on
   * @returns false when the body waited for too long or its sender went away: `work` was not run
   * @throws what `work` throws
   */
  run(caller: string, work: () => void, signal: AbortSignal): Promise<boolean>;
};

export type ParsingQueueOptions = {
  /** Have other callers sent requests lately? A caller that is alone never rests. */
  readonly isShared: () => boolean;
  /** Longest wait of a body, and longest rest of a caller, in milliseconds. */
  readonly waitMs: number;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
};

/**
 * After a large body its caller rests for this many times the body's parsing time, times the number of callers that send large bodies. All of them
 * together therefore parse for a sixth of the time while others share the process; the handlers and collections behind a body take as much again.
 */
const restFactor = 5;

type Waiting = { readonly begin: () => void };
type Caller = { restsUntilMs: number; readonly queue: Waiting[] };

/** A queue for large bodies; see README.md. The map holds callers that wait or rest. */
export function createParsingQueue(options: ParsingQueueOptions): ParsingQueue {
  const { isShared, waitMs, now = () => performance.now() } = options;
  const callers = new Map<string, Caller>();
  let tick: NodeJS.Immediate | null = null;
  let timer: NodeJS.Timeout | undefined;

  /** The caller whose rest ends first among those with a waiting body. */
  const nextCaller = (): Caller | null => {
    let next: Caller | null = null;
    for (const caller of callers.values()) {
      if (caller.queue.length > 0 && (next === null || caller.restsUntilMs < next.restsUntilMs)) next = caller;
    }
    return next;
  };

  const forgetRested = (): void => {
    for (const [name, { queue, restsUntilMs }] of callers) {
      if (queue.length === 0 && restsUntilMs <= now()) callers.delete(name);
    }
  };

  const schedule = (): void => {
    forgetRested();
    clearTimeout(timer);
    const next = nextCaller();
    if (next === null || tick !== null) return;
    const restMs = isShared() ? next.restsUntilMs - now() : 0;
    if (restMs > 0) timer = setTimeout(schedule, Math.ceil(restMs));
    else tick = setImmediate(serve);
  };

  const serve = (): void => {
    tick = null;
    nextCaller()?.queue.shift()?.begin();
    schedule();
  };

  const charge = (caller: Caller, ms: number): void => {
    caller.restsUntilMs = now() + Math.min(waitMs, ms * restFactor * callers.size);
  };

  return {
    run: (name, work, signal) =>
      new Promise((resolve, reject) => {
        const caller = callers.get(name) ?? { restsUntilMs: 0, queue: [] };
        callers.set(name, caller);
        const begin = (): void => {
          clearTimeout(patience);
          if (signal.aborted) {
            resolve(false);
            return;
          }
          const beganMs = now();
          try {
            work();
            resolve(true);
          } catch (error) {
            reject(error);
          } finally {
            charge(caller, now() - beganMs);
          }
        };
        const waiting = { begin };
        const patience = setTimeout(() => {
          caller.queue.splice(caller.queue.indexOf(waiting), 1);
          resolve(false);
          schedule();
        }, waitMs);
        caller.queue.push(waiting);
        schedule();
      }),
  };
}

/** Shares the processing of large bodies among callers. */
export type ParsingQueue = {
  /**
   * Runs `work` once no other body is being processed and its caller is not pausing, and charges the elapsed time to
   * the caller.
   * @param signal a request whose signal has aborted is not processed
   * @returns false if the body waited for too long or its sender disconnected, so that `work` did not run
   * @throws any error of `work`
   */
  run(caller: string, work: () => Promise<void>, signal: AbortSignal): Promise<boolean>;
};

export type ParsingQueueOptions = {
  /** Returns whether other callers have sent requests recently. A single caller never pauses. */
  readonly isShared: () => boolean;
  /** Longest wait of a body, which is also the longest pause of a caller, in milliseconds. */
  readonly waitMs: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: () => number;
};

/**
 * After a large body, its caller pauses. The pause is the processing time of the body, times this factor, times the
 * number of callers that send large bodies. While other callers share the process, all large bodies together therefore
 * use at most a sixth of a processor.
 */
const restFactor = 5;

type Waiting = { readonly begin: () => Promise<void> };
type Caller = { restsUntilMs: number; isServed: boolean; readonly queue: Waiting[] };

/** Creates a queue for large bodies; see README.md. The map contains callers that wait, are being served or pause. */
export function createParsingQueue(options: ParsingQueueOptions): ParsingQueue {
  const { isShared, waitMs, now = () => performance.now() } = options;
  const callers = new Map<string, Caller>();
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  /** Returns the caller whose pause ends first, among those with a waiting body. */
  const nextCaller = (): Caller | null => {
    let next: Caller | null = null;
    for (const caller of callers.values()) {
      if (caller.queue.length > 0 && (next === null || caller.restsUntilMs < next.restsUntilMs)) next = caller;
    }
    return next;
  };

  const forgetRested = (): void => {
    for (const [name, { queue, isServed, restsUntilMs }] of callers) {
      if (queue.length === 0 && !isServed && restsUntilMs <= now()) callers.delete(name);
    }
  };

  const schedule = (): void => {
    forgetRested();
    clearTimeout(timer);
    const next = nextCaller();
    if (next === null || isBusy) return;
    const restMs = isShared() ? next.restsUntilMs - now() : 0;
    if (restMs > 0) timer = setTimeout(schedule, Math.ceil(restMs));
    else void serve(next);
  };

  const serve = async (caller: Caller): Promise<void> => {
    isBusy = true;
    caller.isServed = true;
    await caller.queue.shift()?.begin();
    isBusy = false;
    caller.isServed = false;
    schedule();
  };

  const charge = (caller: Caller, ms: number): void => {
    caller.restsUntilMs = now() + Math.min(waitMs, ms * restFactor * callers.size);
  };

  return {
    run: (name, work, signal) =>
      new Promise((resolve, reject) => {
        const caller = callers.get(name) ?? { restsUntilMs: 0, isServed: false, queue: [] };
        callers.set(name, caller);
        const begin = async (): Promise<void> => {
          clearTimeout(patience);
          if (signal.aborted) {
            resolve(false);
            return;
          }
          const beganMs = now();
          try {
            await work();
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

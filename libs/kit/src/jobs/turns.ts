/** Ends the turn of an item; repeating it does nothing. */
export type EndTurn = () => void;

/**
 * The turns in which claimed items call their targets. A worker claims further items for a target that responds quickly,
 * so that the next one is at hand when a call ends, and no claim has to be written in between.
 */
export type Turns = {
  /** Returns how many items may be claimed in addition to those that may call their target, by the target's key. */
  aheadOf(key: string): number;
  /** Waits until an item may call its target. Returns null if this takes too long, so that another worker can take it. */
  take(key: string): Promise<EndTurn | null>;
};

/** Longest turn, in milliseconds, after which further items are claimed. */
const quickMs = 500;
/** Time in milliseconds for which a target counts as quick after a quick turn. */
const quickForMs = 1_000;
/**
 * Longest wait for a turn, in milliseconds. What was read when an item was claimed may be this much older when its
 * target is called.
 */
const waitMsMax = 1_000;

/** Items under one key: how many have their turn, and how to begin those that wait. */
type Target = { called: number; readonly waiting: Set<() => void> };

/**
 * @param callsMaxOf returns the maximum number of concurrent calls under a key
 * @param times how many times this number may be claimed ahead; once by default
 */
export function createTurns(callsMaxOf: (key: string) => number, times = 1): Turns {
  const targets = new Map<string, Target>();
  /** For each target that counts as quick, the time until which it does, the earliest time first. */
  const quickUntilMs = new Map<string, number>();

  const targetOf = (key: string): Target => {
    const known = targets.get(key);
    if (known !== undefined) return known;
    const target = { called: 0, waiting: new Set<() => void>() };
    targets.set(key, target);
    return target;
  };
  const noteTurn = (key: string, tookMs: number, nowMs: number): void => {
    quickUntilMs.delete(key);
    if (tookMs <= quickMs) quickUntilMs.set(key, nowMs + quickForMs);
    for (const [first, untilMs] of quickUntilMs) {
      if (untilMs > nowMs) break;
      quickUntilMs.delete(first);
    }
  };
  const begin = (key: string, target: Target): EndTurn => {
    const begunAtMs = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const nowMs = performance.now();
      noteTurn(key, nowMs - begunAtMs, nowMs);
      const [next] = target.waiting;
      if (next !== undefined) return next();
      target.called -= 1;
      if (target.called === 0) targets.delete(key);
    };
  };
  const wait = (key: string, target: Target): Promise<EndTurn | null> =>
    new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        target.waiting.delete(start);
        resolve(begin(key, target));
      };
      const timer = setTimeout(() => {
        target.waiting.delete(start);
        quickUntilMs.delete(key);
        resolve(null);
      }, waitMsMax);
      target.waiting.add(start);
    });
  return {
    aheadOf: (key) => ((quickUntilMs.get(key) ?? 0) > performance.now() ? times * callsMaxOf(key) : 0),
    take: async (key) => {
      const target = targetOf(key);
      if (target.called >= callsMaxOf(key)) return wait(key, target);
      target.called += 1;
      return begin(key, target);
    },
  };
}

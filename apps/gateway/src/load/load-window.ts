/** Requests that run at once are never held below this: enough to keep a processor busy while Redis and the services answer. */
const windowMin = 4;

/** The same where the services are what is slow: they do several at once cheaper than one by one. */
const windowSlow = 8;

/**
 * The same beside the refusals of many callers, which take their part of each turn: fewer would get next to nothing done. Beside one caller
 * that is refused, and another that is not, they are as few as otherwise: a flood's refusals leave slowly.
 */
const windowRefusing = 192;
const refusedCallersMany = 5;

/** What may run at once when nothing was asked before. */
export const windowIdle = 64;

/** Requests may take so many times longer than at best before fewer run, and before no more do. */
const slowdownMax = 2;
const slowdownGrowing = 1.5;

/** How the last moments went. */
export type LastMoments = {
  /** What might run at once in them. */
  readonly window: number;
  /** What runs now, and the most that did. */
  readonly running: number;
  readonly mostRunning: number;
  /** Callers that were refused something in the last second; Infinity when there is no other. */
  readonly refusedCallers: number;
  /** Had the processor hardly a free moment? */
  readonly isSaturated: boolean;
  /** How many times longer than at best did requests take? */
  readonly slowdown: number;
};

/** What may run at once in the next moments, as soon as there is more than one caller. */
export function nextWindow(last: LastMoments): number {
  const { window, running, mostRunning, refusedCallers, isSaturated, slowdown } = last;
  const shareOfMany = Math.min(1, (refusedCallers - 1) / (refusedCallersMany - 1));
  const besideRefusals = Math.round(windowRefusing * shareOfMany);
  if (isSaturated) return Math.max(windowMin, besideRefusals, Math.floor(Math.min(window, running) / 2));
  if (slowdown > slowdownMax) {
    const least = Math.min(window, Math.max(windowSlow, besideRefusals));
    return Math.max(least, Math.floor(Math.min(window, running) * 0.8));
  }
  // It does not grow beyond what is made use of: else a flood would find it open when it begins.
  const most = Math.max(windowIdle, 2 * mostRunning);
  return slowdown > slowdownGrowing ? window : Math.min(most, Math.ceil(window * 1.1) + 1);
}

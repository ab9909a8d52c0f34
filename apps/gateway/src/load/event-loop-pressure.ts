/** Says whether this process has more to do than it gets done. */
export type EventLoopPressure = {
  /** Has the event loop been late for longer than a burst lasts? */
  isPressed(): boolean;
  /** Was the event loop busy nearly all the time since this was last asked? */
  isSaturated(): boolean;
  stop(): void;
};

const tickMs = 50;

/** Share of the time from which on the event loop counts as busy all the time. */
const saturatedShare = 0.95;

/**
 * Judges by how late a timer fires. A burst is worked off and is no reason to refuse anyone, so only a delay that stays counts; it counts
 * as gone once it is half of what is tolerated.
 * @param delayMs lateness that is tolerated
 * @param afterMs how long it has to last
 * @param onTick called with each firing of the timer
 */
export function watchEventLoop(options: {
  readonly delayMs: number;
  readonly afterMs: number;
  readonly onTick?: () => void;
}): EventLoopPressure {
  const { delayMs, afterMs, onTick } = options;
  let lastTickMs = performance.now();
  let lateSinceMs: number | null = null;
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const latenessMs = nowMs - lastTickMs - tickMs;
    if (latenessMs >= delayMs) lateSinceMs ??= lastTickMs;
    else if (latenessMs < delayMs / 2) lateSinceMs = null;
    lastTickMs = nowMs;
    onTick?.();
  }, tickMs);
  timer.unref();
  return {
    isPressed: () => lateSinceMs !== null && performance.now() - lateSinceMs >= afterMs,
    isSaturated: () => {
      const now = performance.eventLoopUtilization();
      const since = performance.eventLoopUtilization(now, utilization);
      utilization = now;
      return since.utilization >= saturatedShare;
    },
    stop: () => clearInterval(timer),
  };
}

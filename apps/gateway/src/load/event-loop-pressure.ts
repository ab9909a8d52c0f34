/** Says whether this process has more to do than it gets done. */
export type EventLoopPressure = {
  /** Has the event loop been late for longer than a burst lasts? */
  isPressed(): boolean;
  stop(): void;
};

const tickMs = 50;

/**
 * Judges by how late a timer fires. A burst is worked off and is no reason to refuse anyone, so only a delay that stays counts; it counts
 * as gone once it is half of what is tolerated.
 * @param delayMs lateness that is tolerated
 * @param afterMs how long it has to last
 */
export function watchEventLoop({ delayMs, afterMs }: { delayMs: number; afterMs: number }): EventLoopPressure {
  let lastTickMs = performance.now();
  let lateSinceMs: number | null = null;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const latenessMs = nowMs - lastTickMs - tickMs;
    if (latenessMs >= delayMs) lateSinceMs ??= lastTickMs;
    else if (latenessMs < delayMs / 2) lateSinceMs = null;
    lastTickMs = nowMs;
  }, tickMs);
  timer.unref();
  return {
    isPressed: () => lateSinceMs !== null && performance.now() - lateSinceMs >= afterMs,
    stop: () => clearInterval(timer),
  };
}

/** The slowest pace that the platform accepts from a sender (docs/files.md). */
const slowestBytesPerMs = (64 * 1024) / 1000;
/**
 * Bytes that operating systems and proxies on the way may buffer: the sender has sent them, but they have not arrived.
 */
const heldBytesMax = 16 * 1024 * 1024;

/** A signal that aborts if there is no progress for a while, however long the whole transfer takes. */
export type StallLimit = {
  readonly signal: AbortSignal;
  /** Called when bytes were transferred: the time-out restarts. */
  touch(): void;
  /** The last byte has been sent. Data that is buffered on the way may still need time before the response can arrive. */
  sentAll(totalBytes: number): void;
  /** Ends the watch. */
  stop(): void;
};

/** @param stallMs longest time without progress */
export function createStallLimit(stallMs: number): StallLimit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => controller.abort(new DOMException(`nothing moved for ${Math.round(ms)} ms`, "TimeoutError")),
      ms,
    );
  };
  wait(stallMs);
  return {
    signal: controller.signal,
    touch: () => wait(stallMs),
    sentAll: (totalBytes) => wait(stallMs + Math.min(totalBytes, heldBytesMax) / slowestBytesPerMs),
    stop: () => clearTimeout(timer),
  };
}

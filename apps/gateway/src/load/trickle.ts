/** Answers that cost their receiver nothing leave at a bounded rate: whoever asks again and again for a refusal waits for it. */
export type Trickle = {
  /** Null when the answer may leave at once, else when its turn comes. */
  turn(): null | Promise<void>;
};

const beatMs = 5;

/**
 * A token bucket.
 * @param perBeat answers in each 5 ms, as of now
 * @param atOnceMax answers that may leave at once after a pause
 */
export function createTrickle(perBeat: () => number, atOnceMax: number = perBeat()): Trickle {
  const queue: (() => void)[] = [];
  let tokens = atOnceMax;
  let lastMs = performance.now();
  const refill = (): void => {
    const nowMs = performance.now();
    tokens = Math.min(atOnceMax, tokens + ((nowMs - lastMs) / beatMs) * perBeat());
    lastMs = nowMs;
  };
  const beat = (): void => {
    // A late timer makes up for what it missed, however few may leave at once otherwise.
    const missed = ((performance.now() - lastMs) / beatMs) * perBeat();
    refill();
    const released = queue.splice(0, Math.max(Math.floor(tokens), Math.min(atOnceMax * 20, Math.floor(missed))));
    tokens = Math.max(0, tokens - released.length);
    for (const release of released) release();
    if (queue.length > 0) setTimeout(beat, beatMs).unref();
  };
  return {
    turn: () => {
      if (queue.length === 0) refill();
      if (queue.length === 0 && tokens >= 1) {
        tokens -= 1;
        return null;
      }
      return new Promise((resolve) => {
        if (queue.push(resolve) === 1) setTimeout(beat, beatMs).unref();
      });
    },
  };
}

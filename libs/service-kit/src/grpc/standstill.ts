/** How old a call that was just read may be, for calls whose caller does not know this process's clock. */
export type Standstill = {
  possibleAgeMs(): number;
  stop(): void;
};

const tickMs = 100;
/** Shorter ones are turns of a busy event loop. */
const standstillMsMin = 250;
/** How long after a standstill calls are still read that came during it. */
const backlogMs = 1_000;

/**
 * Watches whether the process stands still: stopped by a signal or a freezer, or busy within one turn of its event loop. What is read right
 * afterwards may have waited for as long as that.
 */
export function watchStandstill(nowMs: () => number = () => performance.now()): Standstill {
  let tickedAtMs = nowMs();
  let lastedMs = 0;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = nowMs();
    const stoodMs = now - tickedAtMs - tickMs;
    tickedAtMs = now;
    if (stoodMs < standstillMsMin) return;
    lastedMs = stoodMs;
    endedAtMs = now;
  };
  const timer = setInterval(look, tickMs).unref();
  return {
    possibleAgeMs: () => {
      // Timers come before what is read, but not when the process woke within the reading.
      if (nowMs() - tickedAtMs > tickMs + standstillMsMin) look();
      return nowMs() - endedAtMs < backlogMs ? lastedMs : 0;
    },
    stop: () => clearInterval(timer),
  };
}

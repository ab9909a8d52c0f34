/** How long a call may have waited unread, for callers that do not know this process's clock. */
export type Standstill = {
  possibleAgeMs(): number;
  stop(): void;
};

const tickMs = 100;
/** Shorter ones are ticks of a busy event loop. */
const standstillMsMin = 250;
/** How long after a standstill the calls that arrived during it are read. */
const backlogMs = 1_000;

/**
 * Detects a standstill of the process: stopped by a signal or a freezer, or busy within one event-loop tick. Calls read right afterwards may
 * have waited for as long.
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
      // Timers run before reads, except when the process was stopped during a read.
      if (nowMs() - tickedAtMs > tickMs + standstillMsMin) look();
      return nowMs() - endedAtMs < backlogMs ? lastedMs : 0;
    },
    stop: () => clearInterval(timer),
  };
}

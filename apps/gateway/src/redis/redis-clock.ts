/** How long a time that Redis told is carried on before it is asked again, in milliseconds. */
const heardMsMax = 1_000;

/**
 * Every window of a quota ends with a minute. So long before that, in milliseconds, Redis tells the time itself: what is reckoned here is behind
 * by as much as an answer took to come, and the next one takes as long again (a quarter of a second each, at most).
 */
const nearEndMs = 1_000;

/** Redis's clock as a process knows it between two tellings. */
export type RedisClock = {
  /** Redis's time in epoch ms, or null when Redis is to be asked. Never ahead of Redis, nor beyond the end of a minute it has not reached. */
  read(): number | null;
  /** Takes the time that an answer of Redis named. */
  hear(nowMs: number): void;
};

/**
 * A clock that carries on what Redis told for a second. It goes by the monotonic clock: the machine's time of day may be wrong, and may be set
 * meanwhile.
 * @param monotonicMs milliseconds from any beginning
 */
export function createRedisClock(monotonicMs: () => number = () => performance.now()): RedisClock {
  let toldMs = 0;
  let heardAtMs = Number.NEGATIVE_INFINITY;
  return {
    read: () => {
      const sinceMs = monotonicMs() - heardAtMs;
      if (sinceMs < 0 || sinceMs >= heardMsMax) return null;
      const nowMs = toldMs + Math.floor(sinceMs);
      return 60_000 - (nowMs % 60_000) <= nearEndMs ? null : nowMs;
    },
    hear: (nowMs) => {
      toldMs = nowMs;
      heardAtMs = monotonicMs();
    },
  };
}

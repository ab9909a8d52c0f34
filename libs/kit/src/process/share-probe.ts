/** Settings of a shared probe. */
export type SharedProbeOptions<T> = {
  /** How long a response is reused, in milliseconds from the start of its probe. */
  readonly keptMs: number;
  /** How long a response is awaited, in milliseconds from the start of its probe. */
  readonly lateMs: number;
  /** Result for a late or failed probe. */
  readonly late: T;
};

/**
 * Shares one probe among all callers: only one runs at a time. No other probe starts while one hangs, so frequent calls
 * cost nothing.
 */
export function shareProbe<T>(
  probe: () => Promise<T>,
  { keptMs, lateMs, late }: SharedProbeOptions<T>,
): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  let startedAtMs = -Infinity;
  let known = late;

  const start = (): Promise<T> =>
    probe()
      .catch(() => late)
      .then((answer) => {
        known = answer;
        underWay = null;
        return answer;
      });

  return async () => {
    const nowMs = performance.now();
    if (underWay === null) {
      if (nowMs - startedAtMs < keptMs) return known;
      startedAtMs = nowMs;
      underWay = start();
    }
    const leftMs = startedAtMs + lateMs - nowMs;
    if (leftMs <= 0) return late;
    let timer: NodeJS.Timeout | undefined;
    const lateness = new Promise<T>((resolve) => {
      timer = setTimeout(() => resolve(late), leftMs).unref();
    });
    return Promise.race([underWay, lateness]).finally(() => clearTimeout(timer));
  };
}

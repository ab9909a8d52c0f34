/** How a probe is shared. */
export type SharedProbeOptions<T> = {
  /** How long an answer is used again, in milliseconds from the start of its probe. */
  readonly keptMs: number;
  /** How long an answer is waited for, in milliseconds from the start of its probe. */
  readonly lateMs: number;
  /** What a probe that is late or fails comes to. */
  readonly late: T;
};

/**
 * A probe that any number may ask for: one is under way at a time, and all who ask meanwhile share it. A probe that hangs stays the only
 * one, so that asking often costs nothing more.
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

import { ConnectionError, PlatformError } from "./errors.ts";

/** When and how often a request is repeated. */
export type RetryPolicy = {
  /** Total number of attempts, including the first. */
  readonly attemptsMax: number;
  /** Longest wait between two attempts; a longer Retry-After ends them. */
  readonly waitMsMax: number;
  /** Waits; rejects when `signal` aborts. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

const firstWaitMs = 250;

/**
 * Runs `attempt` until it succeeds, fails permanently or the attempts are used up.
 * @param isRepeatable true if the request may be repeated after an unknown outcome. Others are repeated only after an
 * exhausted quota, which is reported before anything is done.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  isRepeatable: boolean,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const waitMs = waitBefore(error, tries);
      const isSafe = isRepeatable || (error instanceof PlatformError && error.code === "platform_quota_exceeded");
      if (waitMs === null || !isSafe || tries >= policy.attemptsMax || waitMs > policy.waitMsMax) throw error;
      await policy.wait(waitMs, signal);
    }
  }
}

/** How long to wait after this failure, in milliseconds; null if waiting does not help. */
function waitBefore(error: unknown, tries: number): number | null {
  // Doubled each time, with jitter over half of it, so that callers that failed together do not retry together.
  const backoffMs = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  if (error instanceof ConnectionError) return backoffMs;
  if (!(error instanceof PlatformError) || !error.retryable) return null;
  return error.retryAfterSeconds === null ? backoffMs : error.retryAfterSeconds * 1000;
}

/** The policy's wait in real time. */
export function waitInRealTime(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

import { waitInRealTime } from "./retry.ts";

/** How long to poll an asynchronous result. */
export type WaitOptions = {
  /** 60 seconds by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

const firstWaitMs = 100;
const waitMsMax = 2_000;

/** Polls until `isDone` or the time is up, less and less often. Returns the last result. */
export async function pollUntil<T>(
  ask: () => Promise<T>,
  isDone: (seen: T) => boolean,
  { timeoutMs = 60_000, signal }: WaitOptions,
): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMsMax, waitMs * 1.5)) {
    const seen = await ask();
    if (isDone(seen) || performance.now() + waitMs > until) return seen;
    await waitInRealTime(waitMs, signal);
  }
}

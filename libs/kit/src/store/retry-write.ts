import { setTimeout as delay } from "node:timers/promises";
import { createRetryBudget } from "../rpc/retry-budget.ts";
import { isAbandoned, isConflict, isFinalFailure, isStoreFailure } from "./store-failure.ts";

/**
 * A write that fails later than this many milliseconds after its start is not retried, because the caller's deadline is
 * near.
 */
const retryWithinMs = 2_000;

/**
 * The retry budget of all writes of this process. Only the service retries a write: its callers do not retry a call to
 * which the service has responded, and the driver resends only commands that were interrupted by a lost connection or
 * an election.
 */
const budget = createRetryBudget();

/**
 * Returns whether a write that is safe to repeat may be retried. Waits before it returns, so that competing writes do
 * not collide again.
 */
export async function mayRetry(error: unknown, startedAtMs: number): Promise<boolean> {
  if (!isStoreFailure(error) && !isConflict(error)) return false;
  if (performance.now() - startedAtMs > retryWithinMs) return false;
  // A conflict says nothing about the health of the store, so it does not use up the budget.
  if (isFinalFailure(error) || (!isConflict(error) && !budget.take())) return false;
  await delay(10 + Math.random() * 40);
  return true;
}

/**
 * Maximum number of attempts of a write, and of one that the server abandons because of a concurrent write. Each
 * deadlock of several inserts with the same keys ends one of them, so two attempts may not be enough.
 */
const triesMax = 2;
const abandonedTriesMax = 5;

/**
 * Runs a write that is safe to repeat, and retries it once if the store fails or a competing insert interferes. If the
 * server abandons it because of a concurrent write, it is attempted up to five times.
 */
export async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  budget.call();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= (isAbandoned(error) ? abandonedTriesMax : triesMax)) throw error;
      if (!(await mayRetry(error, startedAtMs))) throw error;
    }
  }
}

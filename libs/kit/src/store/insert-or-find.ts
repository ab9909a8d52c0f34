import { setTimeout as delay } from "node:timers/promises";
import { createRetryBudget } from "../rpc/retry-budget.ts";
import { isDuplicateKey, isFinalFailure, isStoreFailure } from "./store-failure.ts";

/** A failure later than this many milliseconds is not retried, because the caller's deadline is near. */
const retryWithinMs = 2_000;

/**
 * Of all writes of this process. The service is the one place that retries a write: its callers do not retry a call that it has responded to, and the driver
 * only sends again what a lost connection or an election interrupted.
 */
const budget = createRetryBudget();

/** May a write that is safe to repeat be retried? Waits first, so that competing writes do not collide again. */
export async function mayRetry(error: unknown, startedAtMs: number): Promise<boolean> {
  if (!isStoreFailure(error) && !isDuplicateKey(error)) return false;
  if (performance.now() - startedAtMs > retryWithinMs) return false;
  if (isFinalFailure(error) || (!isDuplicateKey(error) && !budget.take())) return false;
  await delay(10 + Math.random() * 40);
  return true;
}

/** Runs a write that is safe to repeat, and retries it once when the store fails or a competing insert comes between. */
export async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  budget.call();
  try {
    return await write();
  } catch (error) {
    if (!(await mayRetry(error, startedAtMs))) throw error;
    return write();
  }
}

/**
 * Inserts a document unless one of its unique keys is taken. All conflicts of unique keys are decided here: the error's code shows a conflict, and
 * a read shows whose it is; the error's text is not used. A failure of the store is retried once, which is safe because the document already
 * has its `_id`.
 * @param insert inserts the document
 * @param findHolder reads the document that has the key; throws when what it finds is an error to the caller
 * @returns null when the document is stored, else the one that has its key
 * @throws the store's own error; the duplicate itself when no holder was found twice
 */
export async function insertOrFind<H extends { _id: unknown }>(
  document: { readonly _id: unknown },
  insert: () => Promise<unknown>,
  findHolder: () => Promise<H | null>,
): Promise<H | null> {
  return retryOnce(async () => {
    try {
      await insert();
      return null;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const holder = await findHolder();
      if (holder === null) throw error;
      // The holder is the document itself: an earlier insert succeeded and its response was lost.
      return holder._id === document._id ? null : holder;
    }
  });
}

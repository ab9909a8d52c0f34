import { setTimeout as delay } from "node:timers/promises";
import { isDuplicateKey, isStoreFailure } from "./store-failure.ts";

/** A failure that came later than this is not tried again: the caller's deadline is near. In milliseconds. */
const retryWithinMs = 2_000;

/** May a write that is safe to repeat be tried once more? Waits a moment before it says yes, so that rivals do not meet again. */
export async function mayRetry(error: unknown, startedAtMs: number): Promise<boolean> {
  if (!isStoreFailure(error) && !isDuplicateKey(error)) return false;
  if (performance.now() - startedAtMs > retryWithinMs) return false;
  await delay(10 + Math.random() * 40);
  return true;
}

/** Does a write that is safe to repeat, once more when the store fails or a rival's insert comes between. */
export async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  try {
    return await write();
  } catch (error) {
    if (!(await mayRetry(error, startedAtMs))) throw error;
    return write();
  }
}

/**
 * Inserts a document unless one of its unique keys is taken. Every conflict of unique keys is decided here: the error's code says that
 * there is one, and a read says with whom, so no server's wording is asked. A failure of the store is tried once more, which is safe: the
 * document has its `_id` already, and the second insert meets the first.
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
      // The document itself: an insert before this one was done, and its answer lost.
      return holder._id === document._id ? null : holder;
    }
  });
}

import { retryWrite } from "./retry-write.ts";
import { isDuplicateKey } from "./store-failure.ts";

/**
 * Inserts a document unless one of its unique keys is taken. Every conflict of unique keys is handled here. The code of
 * the error indicates a conflict, and a read finds the document that has the key; the text of the error is not used. A
 * failure of the store is retried once, which is safe because the document already has its `_id`.
 * @param insert inserts the document
 * @param findHolder reads the document that has the key; throws if that document means an error for the caller
 * @returns null if the document is stored, otherwise the one that has its key
 * @throws the store's own error; the duplicate error if no holder was found twice
 */
export async function insertOrFind<H extends { _id: unknown }>(
  document: { readonly _id: unknown },
  insert: () => Promise<unknown>,
  findHolder: () => Promise<H | null>,
): Promise<H | null> {
  return retryWrite(async () => {
    try {
      await insert();
      return null;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const holder = await findHolder();
      if (holder === null) throw error;
      // If the holder is the document itself, an earlier insert succeeded, but its response was lost.
      return holder._id === document._id ? null : holder;
    }
  });
}

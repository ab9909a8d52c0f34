import type { Model } from "mongoose";
import { ServiceError } from "../rpc/service-error.ts";
import { collectionOf } from "./collection-of.ts";
import type { Inserted } from "./group-commit.ts";
import { insertOrFind } from "./insert-or-find.ts";

/**
 * An idempotency claim. It is stored in the resource's own document under a unique index, so that a retry never creates
 * a second resource.
 */
export type IdempotencyClaim = { readonly key: string; readonly fingerprint: string };

/** Creates the error for a key that was used with a different request. */
export function idempotencyKeyReused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used before with a different request; use a new key, or repeat the first request unchanged.",
  );
}

/** Fields of a claimed document. */
type Claimed = {
  _id: unknown;
  project_client_id: unknown;
  idempotency_key: string;
  idempotency_fingerprint: string;
};

/** How a document with an idempotency claim is inserted. */
export type InsertOnceOptions<T> = {
  /** Inserts the document. Pass a group commit where inserts are frequent. */
  readonly insert?: (document: T) => Promise<unknown>;
  /**
   * Called if a unique key other than the idempotency key is taken. It reads the document's other unique keys, and
   * throws if one of them is taken.
   */
  readonly checkOtherKeys?: (document: T) => Promise<void>;
};

/**
 * Inserts a document that contains `project_client_id`, `idempotency_key` and `idempotency_fingerprint` under a unique
 * index on (project_client_id, idempotency_key). If the key was claimed before, returns the document that claimed it.
 * Only the insert decides which of several concurrent calls succeeds.
 * @param document as it is stored; already validated and cast
 * @returns the stored document, and whether it existed before
 * @throws ServiceError idempotency_key_reused if the earlier request was different; any error of `checkOtherKeys`
 */
export async function insertOnce<T extends object>(
  model: Model<T>,
  document: T & Claimed,
  options: InsertOnceOptions<T> = {},
): Promise<{ document: T; replayed: boolean }> {
  const insert = options.insert ?? ((inserted: T) => (model as Inserted).collection.insertOne(inserted));
  const { project_client_id, idempotency_key } = document;
  const earlier = await insertOrFind<T & Claimed>(
    document,
    () => insert(document),
    async () => {
      const found = await collectionOf(model).findOne({ project_client_id, idempotency_key });
      if (found === null) await options.checkOtherKeys?.(document);
      return found as unknown as (T & Claimed) | null;
    },
  );
  if (earlier === null) return { document, replayed: false };
  if (earlier.idempotency_fingerprint !== document.idempotency_fingerprint) throw idempotencyKeyReused();
  return { document: earlier, replayed: true };
}

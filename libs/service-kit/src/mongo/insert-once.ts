import type { Model } from "mongoose";
import { ServiceError } from "../errors/service-error.ts";
import { isDuplicateKey } from "./connect.ts";

/** The claim a resource's own document carries under a unique index, so that a retry never makes a second resource. */
export type IdempotencyClaim = { readonly key: string; readonly fingerprint: string };

/** The error for a key used before with another request. */
export function idempotencyKeyReused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used before with a different request; use a new key, or repeat the first request unchanged.",
  );
}

/**
 * Inserts a document that carries `project_client_id`, `idempotency_key` and `idempotency_fingerprint` under a unique index on
 * (project_client_id, idempotency_key). When the key was claimed before, returns the document that claimed it. The insert alone decides.
 * @param document as it is stored; already validated and cast
 * @param insert how to insert it; a group commit on hot paths
 * @returns the stored document, and whether it was there before
 * @throws ServiceError idempotency_key_reused when the earlier request was another one; other duplicate keys pass through
 */
export async function insertOnce<T extends object>(
  model: Model<T>,
  document: T & { project_client_id: unknown; idempotency_key: string; idempotency_fingerprint: string },
  insert: (document: T) => Promise<unknown> = (inserted) => model.collection.insertOne(inserted as never),
): Promise<{ document: T; replayed: boolean }> {
  try {
    await insert(document);
    return { document, replayed: false };
  } catch (error) {
    if (!isDuplicateKey(error, "idempotency_key")) throw error;
    const earlier = await model.collection.findOne({
      project_client_id: document.project_client_id,
      idempotency_key: document.idempotency_key,
    } as never);
    if (earlier === null) throw error;
    if (
      (earlier as unknown as { idempotency_fingerprint: string }).idempotency_fingerprint !==
      document.idempotency_fingerprint
    ) {
      throw idempotencyKeyReused();
    }
    return { document: earlier as unknown as T, replayed: true };
  }
}

/** Reading documents, and writes that each decide their outcome in one atomic statement. */
export { absent, collectionOf, type StoredDocument } from "../../store/collection-of.ts";
export { type Addition, addOnce, addReport } from "../../store/counted-reports.ts";
export { deleteInBatches } from "../../store/delete-in-batches.ts";
export { createFindTogether } from "../../store/find-together.ts";
export { createGroupCommit, insertEach } from "../../store/group-commit.ts";
export { readsIndexInOrder } from "../../store/index-order.ts";
export { type IdempotencyClaim, idempotencyKeyReused, insertOnce } from "../../store/insert-once.ts";
export { insertOrFind } from "../../store/insert-or-find.ts";
export {
  newestFirst,
  newestIdFirst,
  oldestFirst,
  type Page,
  type PageOrder,
  type PageRequest,
  readPage,
  type TimeSpan,
} from "../../store/keyset-page.ts";
export { mixed } from "../../store/mixed.ts";
export {
  createOutbox,
  indexOutbox,
  type Outbox,
  type OutboxEntry,
  type OutboxFields,
  outboxAfter,
  outboxSchema,
  type PlatformFact,
  withFact,
} from "../../store/outbox.ts";
export { mayRetry, retryWrite } from "../../store/retry-write.ts";
export {
  answeredFor,
  isConflict,
  isDuplicateKey,
  isStoreFailure,
  recognizeStoreFailure,
} from "../../store/store-failure.ts";

import { type Keyring, open } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/** An operation as a worker needs it to call. */
export type CallableOperation = {
  readonly id: string;
  readonly environment: string;
  readonly name: string;
  readonly origin: string;
  /** Path and query of its url. */
  readonly path: string;
  /** Null when no key of the keyring opens it. */
  readonly secret: string | null;
  /** The secret before, which signs too until its overlap ends; null when there is none. */
  readonly previous: { readonly secret: string; readonly until: Date } | null;
};

/** Finds operations by id; those that are disabled or gone are left out. */
export async function findCallable(
  { operations }: ScheduleModels,
  keyring: Keyring,
  ids: readonly string[],
): Promise<Map<string, CallableOperation>> {
  if (ids.length === 0) return new Map();
  // Uses the driver directly, like every read of a claim.
  const cursor = collectionOf(operations).find({ _id: { $in: ids }, status: "active" }, { batchSize: ids.length + 1 });
  const found = await cursor.toArray();
  return new Map(found.map((document) => [document._id, toCallable(keyring, document)]));
}

function toCallable(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation {
  // It was valid when registered; an invalid one fails as an attempt.
  const url = URL.parse(document.url);
  return {
    id: document._id,
    environment: document.environment,
    name: document.name,
    origin: url?.origin ?? "",
    path: `${url?.pathname}${url?.search}`,
    secret: openOrNull(keyring, document._id, document.secret_sealed),
    previous: previousOf(keyring, document),
  };
}

function previousOf(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation["previous"] {
  const { _id, previous_secret_sealed: sealed, previous_secret_until: until } = document;
  const secret = sealed === undefined || until === undefined ? null : openOrNull(keyring, _id, sealed);
  return secret === null || until === undefined ? null : { secret, until };
}

function openOrNull(keyring: Keyring, operationId: string, sealed: string): string | null {
  try {
    return open(keyring, purposeOf(operationId), sealed);
  } catch {
    // One operation sealed under a lost key must not stop the others' claims.
    return null;
  }
}

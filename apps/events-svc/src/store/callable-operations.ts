import { type Keyring, open } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { CallHeaders } from "../domain/call-headers.ts";
import { headersPurposeOf } from "./call-settings.ts";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/** The fields of a scheduled operation that a worker needs to make its call. */
export type CallableOperation = {
  readonly id: string;
  readonly clientId: string;
  readonly environment: string;
  readonly name: string;
  readonly origin: string;
  /** Path and query of the operation's URL. */
  readonly path: string;
  /** Null if no key of the ring decrypts the secret or the headers. */
  readonly secret: string | null;
  /** Names and values of the headers, alternating. */
  readonly headers: readonly string[];
  /** Maximum number of calls per second; null if there is no limit. */
  readonly perSecond: number | null;
  /** The previous secret, which also signs until its overlap ends; null if there is none. */
  readonly previous: { readonly secret: string; readonly until: Date } | null;
};

/** Finds operations by id. Disabled and deleted operations are omitted. */
export async function findCallable(
  { operations }: ScheduleModels,
  keyring: Keyring,
  ids: readonly string[],
): Promise<Map<string, CallableOperation>> {
  if (ids.length === 0) return new Map();
  // The driver is used directly, as for all reads of a claim.
  const cursor = collectionOf(operations).find({ _id: { $in: ids }, status: "active" }, { batchSize: ids.length + 1 });
  const found = await cursor.toArray();
  return new Map(found.map((document) => [document._id, toCallable(keyring, document)]));
}

function toCallable(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation {
  // The URL was valid when it was registered. If it is invalid now, the attempt fails.
  const url = URL.parse(document.url);
  const headers = headersOf(keyring, document);
  return {
    id: document._id,
    clientId: document.project_client_id,
    environment: document.environment,
    name: document.name,
    origin: url?.origin ?? "",
    path: `${url?.pathname}${url?.search}`,
    secret: headers === null ? null : openOrNull(keyring, purposeOf(document._id), document.secret_sealed),
    headers: headers ?? [],
    perSecond: document.per_second ?? null,
    previous: previousOf(keyring, document),
  };
}

function headersOf(keyring: Keyring, { _id, headers_sealed: sealed }: ScheduledOperationDocument): string[] | null {
  if (sealed === undefined) return [];
  const opened = openOrNull(keyring, headersPurposeOf(_id), sealed);
  return opened === null ? null : (JSON.parse(opened) as CallHeaders).flat();
}

function previousOf(keyring: Keyring, document: ScheduledOperationDocument): CallableOperation["previous"] {
  const { _id, previous_secret_sealed: sealed, previous_secret_until: until } = document;
  const secret = sealed === undefined || until === undefined ? null : openOrNull(keyring, purposeOf(_id), sealed);
  return secret === null || until === undefined ? null : { secret, until };
}

function openOrNull(keyring: Keyring, purpose: string, sealed: string): string | null {
  try {
    return open(keyring, purpose, sealed);
  } catch {
    // An operation that was encrypted with a lost key must not prevent claims of the others.
    return null;
  }
}

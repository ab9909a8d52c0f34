import type { RedisConnection } from "@platform/quota/connect-redis";

/** How long a claim holds a key when its gateway dies before settling it. */
export const claimMs = 30_000;

/** Longest body that is kept in Redis, in bytes; a longer answer is repeated by the owning service. */
export const keptBytesMax = 4_096;

/** What Redis keeps under an Idempotency-Key. A claim is written by the admission script alone (libs/quota/src/admission.lua). */
export type IdempotencyRecord =
  /** A request is running, or its outcome is unclear. */
  | { readonly state: "running"; readonly fingerprint: string }
  /** Done. The owning service answers a repeat, because the outcome is large or contains a secret. */
  | { readonly state: "kept_by_service"; readonly fingerprint: string }
  /** The outcome to replay. */
  | { readonly state: "done"; readonly fingerprint: string; readonly status: number; readonly body: string };

/** Redis key of a record. Records of a client share the client's slot; those without a client are spread by their key. */
export function idempotencyRecordKey(clientId: string | null, operationId: string, key: string): string {
  return clientId === null ? `{${operationId}:${key}}:idempotency` : `{${clientId}}:idempotency:${operationId}:${key}`;
}

/** The record of an outcome. */
export function doneRecord(fingerprint: string, status: number, body: string): string {
  return `D${fingerprint}${status}${body}`;
}

/** The record of an outcome that the owning service repeats: only the fingerprint. */
export function keptByServiceRecord(fingerprint: string): string {
  return `S${fingerprint}`;
}

/** Reads a record back. */
export function parseRecord(record: string): IdempotencyRecord {
  const fingerprint = record.slice(1, 65);
  if (record.startsWith("D")) {
    return { state: "done", fingerprint, status: Number(record.slice(65, 68)), body: record.slice(68) };
  }
  return { state: record.startsWith("S") ? "kept_by_service" : "running", fingerprint };
}

/** Waits for a claim of another request to end. */
export type RecordWaiter = {
  /** Resolves once the claim held under `key` has ended, or when time is up. */
  settled(key: string, untilMs: number): Promise<void>;
};

/** Polls with one read per key for all waiting requests. */
export function createRecordWaiter(redis: RedisConnection): RecordWaiter {
  const reads = new Map<string, Promise<string | null>>();
  const read = (key: string, afterMs: number): Promise<string | null> => {
    const known = reads.get(key);
    if (known !== undefined) return known;
    const reading = new Promise((resolve) => setTimeout(resolve, afterMs))
      .then(() => redis.get(key))
      .finally(() => reads.delete(key));
    reads.set(key, reading);
    return reading;
  };
  return {
    settled: async (key, untilMs) => {
      for (let afterMs = 5; Date.now() < untilMs; afterMs = Math.min(afterMs * 2, 100)) {
        const record = await read(key, afterMs);
        if (record === null || !record.startsWith("R")) return;
      }
    },
  };
}

import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";

/** How long an outcome is replayed from Redis; after that the owning service's own record answers. */
export const replayMs = 24 * 60 * 60 * 1000;

/** How long a claim holds a key when its gateway dies before settling it. */
export const claimMs = 30_000;

/** What Redis keeps under an Idempotency-Key. */
export type IdempotencyRecord =
  /** A request is running. */
  | { readonly state: "running"; readonly fingerprint: string }
  /** Done; the owning service answers a repeat, because the outcome holds a secret that may not be kept here. */
  | { readonly state: "kept_by_service"; readonly fingerprint: string }
  /** The outcome to replay. */
  | { readonly state: "done"; readonly fingerprint: string; readonly status: number; readonly body: string };

/**
 * Redis key of a record. Records of a client lie in the client's slot with its counters; operations without a client spread by their key.
 */
export function idempotencyRecordKey(clientId: string | null, operationId: string, key: string): string {
  return clientId === null ? `{${operationId}:${key}}:idempotency` : `{${clientId}}:idempotency:${operationId}:${key}`;
}

/** Tells the claims of this process from those of every other one. */
const processMark = randomBytes(8).toString("hex");
let claims = 0;

/** The record of a running request; its last part makes a claim recognisable as one's own. */
export function runningRecord(fingerprint: string): string {
  claims += 1;
  return `R${fingerprint}${processMark}${claims}`;
}

/** The record of an outcome. */
export function doneRecord(fingerprint: string, status: number, body: string): string {
  return `D${fingerprint}${status}${body}`;
}

/** The record of an outcome that only the owning service may tell again: it holds nothing but the fingerprint. */
export function keptByServiceRecord(fingerprint: string): string {
  return `S${fingerprint}`;
}

/** The record left when nobody knows whether the operation was done (its answer was lost): the next request may claim the key. */
export function unclearRecord(fingerprint: string): string {
  return `O${fingerprint}`;
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
  /** Resolves with the record once the claim held under `key` has ended, null when nothing is left of it, or `running` when time is up. */
  settled(key: string, untilMs: number): Promise<string | null | "running">;
};

/** Polls with one read per key however many requests wait for it. */
export function createRecordWaiter(redis: Redis): RecordWaiter {
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
      for (let afterMs = 5; ; afterMs = Math.min(afterMs * 2, 100)) {
        const record = await read(key, afterMs);
        if (record === null || !record.startsWith("R")) return record;
        if (Date.now() >= untilMs) return "running";
      }
    },
  };
}

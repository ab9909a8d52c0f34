import { randomBytes } from "node:crypto";
import type { RedisConnection } from "@platform/quota/connect-redis";
import { retryAfterSeconds } from "@platform/quota/quota";
import { type ClaimOutcome, defineQuotaScripts, type MeterReply } from "@platform/quota/scripts";

/**
 * The metering data of one request. Parts that do not apply are null. Only a request that claims a key may spend units,
 * and they belong to the key.
 */
export type MeteringRequest = {
  readonly traffic: { readonly key: string; readonly limit: number } | null;
  readonly idempotency: {
    readonly key: string;
    readonly fingerprint: string;
    /** Unique id of the claim; see `newClaimId`. */
    readonly claimId: string;
    readonly leaseMs: number;
  } | null;
  readonly spend: {
    readonly key: string;
    /** Redis key of the claims on a gauge. For a quota with a window, it is the key of the counter. */
    readonly claimsKey: string;
    readonly window: number;
    readonly amount: number;
    readonly limit: number;
    /**
     * How long the units of an unclear outcome remain with the Idempotency-Key, in milliseconds, but at least until the
     * window ends.
     */
    readonly keepMs: number;
  } | null;
};

type Refusal = { readonly used: number; readonly limit: number; readonly retryAfterSeconds: number };

/** A rejection because of the traffic limit, with the remaining time of its window by Redis's clock. */
export type TrafficRefusal = Refusal & { readonly windowLeftMs: number };

export type MeteringResult = {
  /** Values of the RateLimit headers; null if traffic was not counted. */
  readonly traffic: { readonly remaining: number; readonly resetSeconds: number } | null;
  readonly outcome:
    | { readonly kind: "admitted" }
    | { readonly kind: "traffic_exceeded"; readonly refusal: TrafficRefusal }
    /**
     * `leaseLeftMs` is how long the claim of another request may still hold the key, by Redis's clock; 0 if there is no
     * such claim.
     */
    | { readonly kind: "key_known"; readonly record: string; readonly leaseLeftMs: number }
    | { readonly kind: "resource_exceeded"; readonly refusal: Refusal }
    | { readonly kind: "gauge_unknown" };
};

/** The outcome of a claim. */
export type Settlement = {
  readonly outcome: ClaimOutcome;
  /** The record to store, and how long to keep it in milliseconds; null for none. */
  readonly record: { readonly text: string; readonly ms: number } | null;
};

export type Metering = {
  /** Meters a request in one Redis step. */
  meter(request: MeteringRequest): Promise<MeteringResult>;
  /** Settles the claim of a request that was admitted or may have been. If Redis has no such claim, nothing changes. */
  settle(request: MeteringRequest, settlement: Settlement): Promise<void>;
};

const trafficWindowMs = 60_000;

/** Part of each claim's id, which distinguishes the claims of this process from those of all others. */
const processMark = randomBytes(8).toString("hex");
let claims = 0;

export function newClaimId(): string {
  claims += 1;
  return `${processMark}${claims}`;
}

/** Creates the metering with the scripts of libs/quota. Requests of one event-loop tick share a command. */
export function createMetering(redis: RedisConnection): Metering {
  const scripts = defineQuotaScripts(redis);
  return {
    meter: (request) => {
      const { traffic, idempotency, spend } = request;
      // All keys must be in the client's slot, including the placeholder for a part that does not apply.
      const anyKey = idempotency?.key ?? traffic?.key ?? "";
      const asked = scripts.meter(
        [traffic?.key ?? anyKey, anyKey, spend?.key ?? anyKey, spend?.claimsKey ?? anyKey],
        [
          traffic?.limit ?? "",
          idempotency?.fingerprint ?? "",
          idempotency?.claimId ?? "",
          idempotency?.leaseMs ?? 0,
          spend?.keepMs ?? 0,
          spend?.window ?? "",
          spend?.amount ?? 0,
          spend?.limit ?? 0,
          "",
        ],
      );
      return asked.then((reply) => meteringResult(request, reply));
    },
    settle: async ({ idempotency, spend }, { outcome, record }) => {
      if (idempotency === null) return;
      const { key, claimId } = idempotency;
      await scripts.settle(
        [key, spend?.key ?? key, spend?.claimsKey ?? key],
        [claimId, outcome, record?.text ?? "", record?.ms ?? 0],
      );
    },
  };
}

function meteringResult({ traffic, spend }: MeteringRequest, reply: MeterReply): MeteringResult {
  const [, nowMs, trafficUsed] = reply;
  const windowLeftMs = trafficWindowMs - (nowMs % trafficWindowMs);
  const resetSeconds = Math.max(1, Math.ceil(windowLeftMs / 1_000));
  return {
    traffic: traffic === null ? null : { remaining: Math.max(0, traffic.limit - trafficUsed), resetSeconds },
    outcome: outcomeOf(),
  };

  function outcomeOf(): MeteringResult["outcome"] {
    switch (reply[0]) {
      case "admitted":
      case "gauge_unknown":
        return { kind: reply[0] };
      case "traffic_exceeded": {
        const refusal = { used: trafficUsed, limit: traffic?.limit ?? 0, retryAfterSeconds: resetSeconds };
        return { kind: "traffic_exceeded", refusal: { ...refusal, windowLeftMs } };
      }
      case "key_known":
        return { kind: "key_known", record: reply[3], leaseLeftMs: leaseLeftMs(reply[3], nowMs) };
      case "resource_exceeded": {
        const refusal = { used: reply[3], limit: spend?.limit ?? 0 };
        return {
          kind: "resource_exceeded",
          refusal: { ...refusal, retryAfterSeconds: retryAfterSeconds(reply[4], nowMs) },
        };
      }
    }
  }
}

/**
 * Returns how long the lease of a running claim lasts. Its record is "R", the fingerprint, and the end of its lease in
 * epoch milliseconds (libs/quota/src/metering.lua).
 */
function leaseLeftMs(record: string, nowMs: number): number {
  const endsAtMs = record.startsWith("R") ? Number.parseInt(record.slice(65), 10) : 0;
  return Math.max(0, endsAtMs - nowMs);
}

/** How long a claim holds a key if its gateway dies before it settles the claim, in milliseconds. */
export const claimMs = 30_000;

/** Maximum size of a body that is kept in Redis, in bytes. The owning service repeats a longer response. */
export const keptBytesMax = 4_096;

/** The values that Redis stores under an Idempotency-Key. Only the metering script writes a claim (libs/quota/src/metering.lua). */
export type IdempotencyRecord =
  /** A request with the key is running, or its outcome is unclear. */
  | { readonly state: "running"; readonly fingerprint: string }
  /**
   * The operation is done. The owning service responds to a repeat, because the response is large or contains a secret.
   */
  | { readonly state: "kept_by_service"; readonly fingerprint: string }
  /** The operation is done, and this is the outcome to replay. */
  | { readonly state: "done"; readonly fingerprint: string; readonly status: number; readonly body: string };

/**
 * Returns the Redis key of a record. Records of a client share the client's slot, and those without a client are
 * distributed by their key.
 */
export function idempotencyRecordKey(clientId: string | null, operationId: string, key: string): string {
  return clientId === null ? `{${operationId}:${key}}:idempotency` : `{${clientId}}:idempotency:${operationId}:${key}`;
}

/** Returns the record of an outcome. */
export function doneRecord(fingerprint: string, status: number, body: string): string {
  return `D${fingerprint}${status}${body}`;
}

/** Returns the record of an outcome that the owning service repeats. It contains only the fingerprint. */
export function keptByServiceRecord(fingerprint: string): string {
  return `S${fingerprint}`;
}

/** Parses a record. */
export function parseRecord(record: string): IdempotencyRecord {
  const fingerprint = record.slice(1, 65);
  if (record.startsWith("D")) {
    return { state: "done", fingerprint, status: Number(record.slice(65, 68)), body: record.slice(68) };
  }
  return { state: record.startsWith("S") ? "kept_by_service" : "running", fingerprint };
}

/** Waits for a claim of another request to end. */
export type RecordWaiter = {
  /** Resolves once the claim of `key` has ended, or at `untilMs` by `performance.now()`. */
  settled(key: string, untilMs: number): Promise<void>;
};

/** Creates a waiter that polls Redis with one read per key for all requests that wait for it. */
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
      for (let afterMs = 5; performance.now() < untilMs; afterMs = Math.min(afterMs * 2, 100)) {
        const record = await read(key, Math.min(afterMs, Math.max(1, untilMs - performance.now())));
        if (record === null || !record.startsWith("R")) return;
      }
    },
  };
}

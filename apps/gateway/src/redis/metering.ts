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

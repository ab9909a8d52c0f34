import { defined } from "@platform/kit/process/fields";
import { createSourceLimit, sourceNetwork } from "@platform/kit/web/http";
import { doneRecord, keptByServiceRecord, keptBytesMax } from "../redis/idempotency-record.ts";
import type { Settlement } from "../redis/metering.ts";
import type { Exchange } from "./exchange.ts";

/**
 * How long an outcome is kept if memory is short, in milliseconds. This is long enough for retries that are already in
 * flight.
 */
export const pressedReplayMs = 60_000;

/**
 * How long an outcome of a request without a credential is kept if Redis is half full, in milliseconds. Nothing else
 * limits how many of them an outsider sends, and what is kept for a second cannot fill the other half.
 */
export const strangersReplayMs = 1_000;

const dayMs = 86_400_000;

/** Decides which outcomes are kept for replays, and for how long, so that no caller can fill Redis. */
export type ReplayRetention = {
  /** How long the outcomes of Project Clients are kept, in milliseconds. */
  readonly keptMs: number;
  /**
   * Returns the record of a response. Without a response, it is a marker which says that the owning service has the
   * outcome.
   */
  recordOf(
    exchange: Pick<Exchange, "operation" | "client" | "source" | "idempotency">,
    answer: { readonly status: number; readonly body: string } | null,
  ): Settlement["record"];
};

/**
 * Stores small responses in full, and for large ones only a marker that their service has them. If Redis is nearly
 * full, only markers are stored, for a minute. No quota limits requests without a credential. For these, each source,
 * and all sources together, may have a limited number of records stored for a day; further ones are stored for a
 * minute, and for a second if Redis is half full.
 * @param options.isMemoryShort returns true if Redis is nearly full
 * @param options.isMemoryHalfFull returns true if half of Redis's memory is used
 */
export function createReplayRetention(options: {
  keptMs: number;
  isMemoryShort: () => boolean;
  isMemoryHalfFull: () => boolean;
  perSource?: number;
  inAll?: number;
  sourcesMax?: number;
  now?: () => number;
}): ReplayRetention {
  const { keptMs, isMemoryShort, isMemoryHalfFull, perSource = 10_000, inAll = 100_000, sourcesMax = 50_000 } = options;
  const limit = createSourceLimit({ perSource, inAll, sourcesMax, windowMs: dayMs, ...defined({ now: options.now }) });
  const strangersMs = (address: string): number => {
    if (isMemoryHalfFull()) return strangersReplayMs;
    return limit(sourceNetwork(address)) === null ? keptMs : pressedReplayMs;
  };

  return {
    keptMs,
    recordOf: ({ operation, client, source, idempotency }, answer) => {
      if (idempotency === null) return null;
      const { fingerprint } = idempotency;
      const isShort = isMemoryShort();
      const mostMs = client === null ? strangersMs(source) : isShort ? pressedReplayMs : keptMs;
      const hasOwner = operation.upstream !== "edge";
      const isWhole =
        answer !== null &&
        operation.idempotency?.replay === "outcome" &&
        !(hasOwner && (isShort || Buffer.byteLength(answer.body) > keptBytesMax));
      return {
        text: isWhole ? doneRecord(fingerprint, answer.status, answer.body) : keptByServiceRecord(fingerprint),
        ms: Math.min(keptMs, mostMs),
      };
    },
  };
}

import { sourceNetwork } from "@platform/kit/web/http";
import { LRUCache } from "lru-cache";
import type { Settlement } from "../redis/metering.ts";
import { doneRecord, keptByServiceRecord, keptBytesMax } from "../redis/metering.ts";
import type { Exchange } from "./exchange.ts";

/**
 * How long an outcome is kept if memory is short, in milliseconds. This is long enough for retries that are already in
 * flight.
 */
export const pressedReplayMs = 60_000;

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
 * minute. Each process counts separately, because the limits only protect memory. The sources that were not seen for
 * the longest time are forgotten.
 * @param options.isMemoryShort returns true if Redis is nearly full
 */
export function createReplayRetention(options: {
  keptMs: number;
  isMemoryShort: () => boolean;
  perSource?: number;
  inAll?: number;
  sourcesMax?: number;
  now?: () => number;
}): ReplayRetention {
  const { keptMs, isMemoryShort, perSource = 10_000, inAll = 100_000, sourcesMax = 50_000 } = options;
  const { now = () => performance.now() } = options;
  const kept = new LRUCache<string, number>({ max: sourcesMax });
  let keptInAll = 0;
  let dayEndsMs = now() + dayMs;

  const isWithinShare = (address: string): boolean => {
    if (now() >= dayEndsMs) {
      kept.clear();
      keptInAll = 0;
      dayEndsMs = now() + dayMs;
    }
    const source = sourceNetwork(address);
    const count = kept.get(source) ?? 0;
    if (count >= perSource || keptInAll >= inAll) return false;
    kept.set(source, count + 1);
    keptInAll += 1;
    return true;
  };

  return {
    keptMs,
    recordOf: ({ operation, client, source, idempotency }, answer) => {
      if (idempotency === null) return null;
      const { fingerprint } = idempotency;
      const isShort = isMemoryShort();
      const isKeptLong = !isShort && (client !== null || isWithinShare(source));
      const hasOwner = operation.upstream !== "edge";
      const isWhole =
        answer !== null &&
        operation.idempotency?.replay === "outcome" &&
        !(hasOwner && (isShort || Buffer.byteLength(answer.body) > keptBytesMax));
      return {
        text: isWhole ? doneRecord(fingerprint, answer.status, answer.body) : keptByServiceRecord(fingerprint),
        ms: isKeptLong ? keptMs : Math.min(keptMs, pressedReplayMs),
      };
    },
  };
}

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createFairLimiter, type FairLimiter } from "./fair-limiter.ts";
import { createParsingQueue, type ParsingQueue } from "./parsing-queue.ts";

/** The kinds of requests. Each kind has its own capacity. */
export type RequestKind = "call" | "stream" | "probe";

/** Admission control of this process; see README.md. */
export type AdmissionControl = {
  /** Limits the number of requests in flight, by kind. */
  readonly requests: Readonly<Record<RequestKind, FairLimiter>>;
  /** Limits the bytes of large bodies that are in flight. */
  readonly bodyBytes: FairLimiter;
  /** Shares the parsing of large bodies among callers. */
  readonly parsing: ParsingQueue;
  /**
   * Returns the caller of a request: the Project Client of a credential that was recently accepted, otherwise the
   * network of the sender.
   */
  callerOf(authorization: string | undefined, network: string): string;
  /** Records that the credential in this header was accepted and belongs to the Project Client. */
  remember(authorization: string, clientId: string): void;
};

/** Limits of the process. */
export type AdmissionLimits = {
  /** Maximum number of concurrent calls, for a single caller and for several callers. */
  readonly concurrencyMax: number;
  readonly concurrencyShared: number;
  /** Maximum number of calls in progress and waiting. Further calls are rejected. */
  readonly inFlightMax: number;
  /** Maximum number of concurrent pages, uploads and downloads. */
  readonly streamsMax: number;
  /** Maximum total size of large bodies in flight, in bytes. */
  readonly bodyBytesMax: number;
};

/** Longest wait of a request in the queue, in milliseconds. Callers usually time out after 5 s or more. */
const waitMs = 2_000;

/**
 * Number of waiting calls that start in one event-loop tick while several callers share the process. All calls that
 * start together respond together, at the end of one long tick, so more of them would delay each response.
 */
const sharedPerTick = 4;

/** Longest wait of a large body for memory, in milliseconds. */
const bodyWaitMs = 1_000;

/** Maximum number of concurrent health probes. They are rare and fast, and no other requests use their capacity. */
const probesMax = 16;

/**
 * Number of accepted credentials that are remembered. When a credential is forgotten, its requests count for their
 * network until it is accepted again.
 */
const credentialsMax = 10_000;

export function createAdmissionControl(limits: AdmissionLimits): AdmissionControl {
  const { concurrencyMax, concurrencyShared, inFlightMax, streamsMax, bodyBytesMax } = limits;
  const clients = new LRUCache<string, string>({ max: credentialsMax });
  const digest = (authorization: string): string => hash("sha256", authorization, "base64");
  const capacityAlone = Math.min(concurrencyMax, inFlightMax);
  const capacity = Math.min(concurrencyShared, capacityAlone);
  const call = createFairLimiter({
    capacity,
    capacityAlone,
    sharedPerTick,
    queueMax: inFlightMax - capacityAlone,
    waitMs,
  });
  return {
    requests: {
      call,
      stream: createFairLimiter({ capacity: streamsMax, queueMax: streamsMax, waitMs }),
      probe: createFairLimiter({ capacity: probesMax, queueMax: 4 * probesMax, waitMs }),
    },
    // At most twice the capacity is in use. Each waiting body belongs to an admitted request, so the queue itself needs
    // no limit.
    bodyBytes: createFairLimiter({
      capacity: bodyBytesMax / 2,
      queueMax: Number.POSITIVE_INFINITY,
      waitMs: bodyWaitMs,
    }),
    parsing: createParsingQueue({ isShared: call.isShared, waitMs }),
    callerOf: (authorization, network) =>
      (authorization === undefined ? undefined : clients.get(digest(authorization))) ?? network,
    remember: (authorization, clientId) => void clients.set(digest(authorization), clientId),
  };
}

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createFairLimiter, type FairLimiter } from "./fair-limiter.ts";
import { createParsingQueue, type ParsingQueue } from "./parsing-queue.ts";

/** The kinds of requests; each has its own capacity. */
export type RequestKind = "call" | "stream" | "probe";

/** Admission control of this process; see README.md. */
export type AdmissionControl = {
  /** Requests in flight, by kind. */
  readonly requests: Readonly<Record<RequestKind, FairLimiter>>;
  /** Bytes of the large bodies of requests in flight. */
  readonly bodyBytes: FairLimiter;
  /** Turns of the callers in parsing large bodies. */
  readonly parsing: ParsingQueue;
  /** The caller of a request: the Project Client of a recently accepted credential, otherwise the network of the sender. */
  callerOf(authorization: string | undefined, network: string): string;
  /** Remembers that the credential in this header was accepted and selects the Project Client. */
  remember(authorization: string, clientId: string): void;
};

/** Bounds of the process. */
export type AdmissionLimits = {
  /** Calls worked on concurrently, of one caller alone and of several. */
  readonly concurrencyMax: number;
  readonly concurrencyShared: number;
  /** Calls in progress and waiting, beyond which calls are refused. */
  readonly inFlightMax: number;
  /** Pages, uploads and downloads passing through concurrently. */
  readonly streamsMax: number;
  /** Bytes of large bodies in flight. */
  readonly bodyBytesMax: number;
};

/** Longest wait of a request in the queue: callers wait for 5 s and more. */
const waitMs = 2_000;

/** Waiting calls that begin in one tick of the event loop while several callers share: calls that start together get their responses in one long tick. */
const sharedPerTick = 4;

/** Longest wait of a large body for memory. */
const bodyWaitMs = 1_000;

/** Health probes in progress. They are few and quick, and nothing else uses their capacity. */
const probesMax = 16;

/** Credentials remembered. A caller whose credential is forgotten counts as its network until it is accepted again. */
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
    // At most twice the capacity is in use. Every waiting body belongs to an admitted request, so the queue needs no limit.
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

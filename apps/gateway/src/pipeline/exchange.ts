import type { IncomingMessage, ServerResponse } from "node:http";
import type { RoutedOperation } from "@platform/contracts/operations";
import type { CallingClient, CallingSession } from "../handler.ts";

/** What is sent back: status, headers beyond the fixed ones, and the body as it goes out. `streamed` when the answer is under way already. */
export type Answer =
  | {
      readonly kind: "body";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "streamed" };

/** The claim of an Idempotency-Key: held by this request until it is settled. */
export type IdempotencyClaim = {
  readonly key: string;
  /** SHA-256 (hex) of the RFC 8785 form of path parameters and body. */
  readonly fingerprint: string;
};

/** One request on its way through the pipeline. Each stage fills in what it finds out; nothing is filled in twice. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: RoutedOperation;
  /** Path parameters as they stand in the URL, decoded. */
  readonly rawParams: Readonly<Record<string, string>>;
  readonly correlationId: string;
  /** Was X-Correlation-ID sent, but is no UUID? */
  readonly isCorrelationIdMalformed: boolean;
  /** Address the request came from. */
  readonly source: string;
  /** Who that address is taken for: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** Do others stand behind that address, because it forwards for them and is no trusted proxy? */
  readonly isSourceShared: boolean;
  readonly startedAtMs: number;
  /** Gives the signal that aborts when the client goes away. No getter: in V8 each object that is made with one is of a kind of its own. */
  readonly signal: () => AbortSignal;
  /** Headers every answer of this request carries, whatever comes of it. */
  readonly answerHeaders: Record<string, string>;

  deadlineMs: number;
  client: CallingClient | null;
  session: CallingSession | null;
  params: unknown;
  body: unknown;
  idempotency: IdempotencyClaim | null;
  /** What parsing found wrong; answered once the request has been counted. */
  parseError: Error | null;
  /** The code answered with, for the access log and metrics; null for a success. */
  errorCode: string | null;
};

/**
 * One stage of the pipeline: does its part, calls `next` for the rest, and may act on what comes back. A stage that waits for nothing is a
 * plain function, and may throw: each promise around a request delays its answer by one more round of microtasks.
 */
export type Stage = (exchange: Exchange, next: () => Promise<Answer>) => Promise<Answer>;

/** Runs the stages in order around each other. Throws what a stage throws before the first that waits. */
export function runStages(stages: readonly Stage[], exchange: Exchange, from = 0): Promise<Answer> {
  const stage = stages[from];
  if (stage === undefined) throw new Error("the last stage of the pipeline must answer");
  return stage(exchange, () => runStages(stages, exchange, from + 1));
}

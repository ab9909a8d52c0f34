import type { IncomingMessage, ServerResponse } from "node:http";
import type { RoutedOperation } from "@platform/contracts/operations";
import type { CallingClient, CallingSession } from "../handler.ts";

/**
 * The response: status, headers in addition to the fixed ones, and the serialized body; `streamed` if it is already
 * being sent.
 */
export type Answer =
  | {
      readonly kind: "body";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "streamed" };

/** The claim of an Idempotency-Key. This request holds it until it is settled. */
export type IdempotencyClaim = {
  readonly key: string;
  /** SHA-256 (hex) of the RFC 8785 form of path parameters and body. */
  readonly fingerprint: string;
};

/** State of one request in the pipeline. Each stage sets its own fields once. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: RoutedOperation;
  /** Decoded path parameters. */
  readonly rawParams: Readonly<Record<string, string>>;
  readonly correlationId: string;
  /** True if X-Correlation-ID was sent but is not a UUID. */
  readonly isCorrelationIdMalformed: boolean;
  /** Address the request came from. */
  readonly source: string;
  /** The network of that address: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** True if the address is shared, because it forwards requests of others and is not a trusted proxy. */
  readonly isSourceShared: boolean;
  readonly startedAtMs: number;
  /**
   * Returns the signal that aborts when the client disconnects. This is not a getter, because V8 gives each object with a getter its own hidden class.
   */
  readonly signal: () => AbortSignal;
  /** Headers of every response to this request. */
  readonly answerHeaders: Record<string, string>;

  deadlineMs: number;
  client: CallingClient | null;
  session: CallingSession | null;
  params: unknown;
  body: unknown;
  idempotency: IdempotencyClaim | null;
  /** The parse error. It is returned once the request has been counted. */
  parseError: Error | null;
  /** The error code of the response, for access log and metrics; null for a success. */
  errorCode: string | null;
};

/**
 * One stage of the pipeline: does its part, calls `next` for the rest, and may change the response. A stage that awaits nothing is a plain function
 * and may throw, because each promise costs a round of microtasks.
 */
export type Stage = (exchange: Exchange, next: () => Promise<Answer>) => Promise<Answer>;

/** Runs the stages nested in order. Throws what a stage throws synchronously. */
export function runStages(stages: readonly Stage[], exchange: Exchange, from = 0): Promise<Answer> {
  const stage = stages[from];
  if (stage === undefined) throw new Error("the last stage of the pipeline must answer");
  return stage(exchange, () => runStages(stages, exchange, from + 1));
}

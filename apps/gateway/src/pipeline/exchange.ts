import type { IncomingMessage, ServerResponse } from "node:http";
import type { RoutedOperation } from "@platform/contracts/operations";
import type { CallingClient, CallingSession } from "../handler.ts";

/**
 * The response: status, headers in addition to the fixed ones, and the serialized body. `streamed` means that it is
 * already being sent.
 */
export type Answer =
  | {
      readonly kind: "body";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "streamed" };

/** The claim of an Idempotency-Key, which this request holds until the claim is settled. */
export type IdempotencyClaim = {
  readonly key: string;
  /** SHA-256 (hex) of the RFC 8785 form of path parameters and body. */
  readonly fingerprint: string;
};

/** State of a request in the pipeline. Each stage sets its own fields, once. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: RoutedOperation;
  /** Decoded path parameters. */
  readonly rawParams: Readonly<Record<string, string>>;
  readonly correlationId: string;
  /** True if X-Correlation-ID was sent but is not a UUID. */
  readonly isCorrelationIdMalformed: boolean;
  /** Address from which the request came. */
  readonly source: string;
  /** The network of that address: the IPv4 address itself, or the /64 of an IPv6 address. */
  readonly network: string;
  /**
   * True if the sender at this address forwards requests of others and is not a trusted proxy, so that several senders
   * share the address.
   */
  readonly isSourceShared: boolean;
  readonly startedAtMs: number;
  /**
   * Returns the signal that aborts when the client disconnects. It is a function because V8 gives each object with a
   * getter its own hidden class.
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
  /** The error of parsing the request. It is reported only after the request has been counted. */
  parseError: Error | null;
  /** The error code of the response, for access log and metrics; null for a success. */
  errorCode: string | null;
};

/**
 * One stage of the pipeline. It does its part, calls `next` for the later stages, and may change the response. A stage
 * that awaits nothing is a plain function and may throw synchronously, because each promise costs a round of
 * microtasks.
 */
export type Stage = (exchange: Exchange, next: () => Promise<Answer>) => Promise<Answer>;

/** Runs the stages, each nested in the previous one. If a stage throws synchronously, this function does, too. */
export function runStages(stages: readonly Stage[], exchange: Exchange, from = 0): Promise<Answer> {
  const stage = stages[from];
  if (stage === undefined) throw new Error("the last stage of the pipeline must answer");
  return stage(exchange, () => runStages(stages, exchange, from + 1));
}

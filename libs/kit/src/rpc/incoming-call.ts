import type { PeerCertificate } from "node:tls";
import type { Logger } from "../process/logger.ts";
import { activeTraceId } from "../process/spans.ts";
import type { CallContext } from "./call-context.ts";
import { callerOf } from "./caller-identity.ts";
import { steadyNowMs } from "./deadline.ts";
import type { Operator } from "./operator.ts";
import type { ServerCall } from "./server-call.ts";

/** The peer of a connection. */
export type Peer = {
  readonly address: string;
  /** The name in its certificate; null over plain text. */
  readonly caller: string | null;
};

/** What grpc-js knows about a peer. */
type Connected = { getPeer(): string; getAuthContext(): { sslPeerCertificate?: PeerCertificate } };

/**
 * Returns the peer of a call of grpc-js. Each part is read on first use, because many calls of a stream share the peer
 * and few need it.
 */
export function peerOf(call: Connected, isTls: boolean): Peer {
  let address: string | undefined;
  let caller: string | null | undefined;
  return {
    get address() {
      address ??= call.getPeer();
      return address;
    },
    get caller() {
      if (caller === undefined) caller = isTls ? callerOf(call.getAuthContext().sslPeerCertificate) : null;
      return caller;
    },
  };
}

/** A call as it was received. */
type Received = {
  readonly path: string;
  readonly message: Uint8Array;
  readonly context: CallContext;
  readonly metadata: ServerCall["metadata"];
  /** Epoch milliseconds; Infinity if the caller set no deadline. */
  readonly deadlineMs: number;
  /** False if grpc-js itself cancels the call at its deadline. */
  readonly isTimed: boolean;
};

/** A received call, from a frame of a stream or an ordinary gRPC call. Logger, signal and timer are created on first use, because few calls need them. */
export class IncomingCall implements ServerCall {
  readonly path: string;
  readonly message: Uint8Array;
  readonly correlationId: string;
  readonly operation: string;
  readonly projectClient: CallContext["projectClient"];
  readonly idempotency: CallContext["idempotency"];
  /** Traceparent of the caller's span; later that of the handler's own span. */
  traceparent?: string;
  readonly metadata: ServerCall["metadata"];
  readonly deadlineMs: number;
  operator: Operator | null = null;
  readonly #peer: Peer;
  readonly #parent: Logger;
  readonly #isTimed: boolean;
  #logger: Logger | null = null;
  #abort: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;
  #whyEnded: string | null = null;

  /** @param parent logger of the server */
  constructor({ path, message, context, metadata, deadlineMs, isTimed }: Received, peer: Peer, parent: Logger) {
    this.path = path;
    this.message = message;
    this.correlationId = context.correlationId;
    this.operation = context.operation;
    this.projectClient = context.projectClient;
    this.idempotency = context.idempotency;
    if (context.traceparent !== undefined) this.traceparent = context.traceparent;
    this.metadata = metadata;
    this.deadlineMs = deadlineMs;
    this.#peer = peer;
    this.#parent = parent;
    this.#isTimed = isTimed;
  }

  get peer(): string {
    return this.#peer.address;
  }

  get caller(): string | null {
    return this.#peer.caller;
  }

  get authorization(): string {
    return this.metadata.get("authorization") ?? "";
  }

  get logger(): Logger {
    this.#logger ??= this.#parent.child({
      correlation_id: this.correlationId,
      operation: this.operation,
      rpc: this.path.slice(1),
      trace_id: activeTraceId(),
    });
    return this.#logger;
  }

  /** True if the caller has disconnected or the signal has reported the deadline. */
  get hasEnded(): boolean {
    return this.#whyEnded !== null;
  }

  get signal(): AbortSignal {
    if (this.#abort !== null) return this.#abort.signal;
    this.#abort = new AbortController();
    if (this.#whyEnded !== null) this.#abort.abort(new Error(this.#whyEnded));
    else if (this.#isTimed) {
      const leftMs = Math.max(0, this.deadlineMs - steadyNowMs());
      this.#timer = setTimeout(() => this.end("the deadline passed"), leftMs);
    }
    return this.#abort.signal;
  }

  /** Ends the call because its caller no longer waits for the response. */
  end(why: string): void {
    this.settle();
    this.#whyEnded ??= why;
    this.#abort?.abort(new Error(why));
  }

  /** Called when the RPC has returned, after which the deadline no longer matters. */
  settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

import type { PeerCertificate } from "node:tls";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type { Call } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import type { ArrivingCall, IncomingCall } from "./incoming-call.ts";
import { contextOfCall, type MultiplexedReply, metadataOfCall } from "./multiplexed-call.ts";

/** Serves one call; resolves also when it failed. */
export type ServeMultiplexed = (call: ServedCall) => Promise<MultiplexedReply>;

/** The caller of a stream, shared by all its calls and read on first use. */
export type Sender = {
  peer(): string;
  certificate(): PeerCertificate | undefined;
};

/** The caller of a stream. */
export function senderOf(stream: ServerDuplexStream<unknown, unknown>): Sender {
  let peer: string | null = null;
  let auth: ReturnType<typeof stream.getAuthContext> | null = null;
  return {
    peer: () => {
      peer ??= stream.getPeer();
      return peer;
    },
    certificate: () => {
      auth ??= stream.getAuthContext();
      return auth.sslPeerCertificate;
    },
  };
}

/** A multiplexed call being served. Its signal and timer are created on first use, because few calls need them. */
export class ServedCall implements ArrivingCall {
  readonly id: number;
  readonly path: string;
  readonly message: Uint8Array;
  readonly context: CallContext;
  readonly metadata: IncomingCall["metadata"];
  /** Epoch milliseconds; 0 once nobody waits any more. */
  deadlineMs: number;
  readonly #sender: Sender;
  #abort: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;
  #whyEnded: string | null = null;

  /**
   * @param nowMs epoch milliseconds
   * @param clockMs the same moment by the clock sent to callers
   */
  constructor(call: Call, sender: Sender, nowMs: number, clockMs: number) {
    this.id = call.id;
    this.path = call.path;
    this.message = call.message;
    this.context = contextOfCall(call);
    this.metadata = { get: (name) => metadataOfCall(call, name) };
    // Only the clock shows how long the call waited unread.
    const leftMs = call.expiresAtMs > 0 ? Math.min(call.timeoutMs, call.expiresAtMs - clockMs) : call.timeoutMs;
    this.deadlineMs = Math.floor(nowMs + leftMs);
    this.#sender = sender;
  }

  peer(): string {
    return this.#sender.peer();
  }

  certificate(): PeerCertificate | undefined {
    return this.#sender.certificate();
  }

  /** Aborts when the deadline passes, the caller gives up or the stream breaks. */
  signal(): AbortSignal {
    if (this.#abort !== null) return this.#abort.signal;
    this.#abort = new AbortController();
    if (this.#whyEnded !== null) this.#abort.abort(new Error(this.#whyEnded));
    else {
      const leftMs = Math.max(0, this.deadlineMs - Date.now());
      this.#timer = setTimeout(() => this.end("the deadline passed"), leftMs);
    }
    return this.#abort.signal;
  }

  /** Nobody waits for the answer any more. */
  end(why: string): void {
    this.settle();
    this.deadlineMs = 0;
    this.#whyEnded = why;
    this.#abort?.abort(new Error(why));
  }

  /** The answer is there: the deadline no longer matters. */
  settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

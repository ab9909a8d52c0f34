import type { PeerCertificate } from "node:tls";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import type { CallContext } from "./call-context.ts";
import type { ArrivingCall, IncomingCall } from "./incoming-call.ts";
import type { CarriedAnswer, CarriedCall } from "./mux-frame.ts";

/** What a carried call is answered with. */
export type CarriedReply = Omit<CarriedAnswer, "id">;

/** Serves one call; resolves also when it failed. */
export type ServeCarried = (call: ServedCall) => Promise<CarriedReply>;

/** Who is at the other end of a stream: one for all its calls, read when first asked for. */
export type Sender = {
  peer(): string;
  certificate(): PeerCertificate | undefined;
};

/** Who sent the calls of a stream. */
export function senderOf(stream: ServerDuplexStream<Buffer, Buffer>): Sender {
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

/** A carried call that is served. Its signal, and the timer behind it, are made when first asked for: few calls do. */
export class ServedCall implements ArrivingCall {
  readonly id: number;
  readonly path: string;
  readonly message: Buffer;
  readonly context: CallContext;
  readonly metadata: IncomingCall["metadata"];
  readonly deadlineMs: number;
  readonly #sender: Sender;
  #abort: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;
  #whyEnded: string | null = null;

  constructor({ id, path, message, context, metadata, timeoutMs }: CarriedCall, sender: Sender, nowMs: number) {
    this.id = id;
    this.path = path;
    this.message = message;
    this.context = context;
    this.metadata = metadata;
    this.deadlineMs = nowMs + timeoutMs;
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
    this.#whyEnded = why;
    this.#abort?.abort(new Error(why));
  }

  /** The answer is there: the deadline no longer matters. */
  settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

import { type Metadata, status } from "@grpc/grpc-js";
import type { CallContext } from "./call-context.ts";
import type { DeadlineWheel, Expiring } from "./deadline-wheel.ts";
import { errorDetailMetadata } from "./error-detail.ts";

/** A call to be carried. */
export type MuxRequest = {
  readonly path: string;
  readonly message: Buffer;
  readonly context: CallContext;
  /** Metadata beyond the context, as `name: value` lines. */
  readonly metadata: readonly string[];
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** Makes the call by itself, for a server that carries none. One function for all calls of a method. */
  readonly callAlone: (request: MuxRequest) => Promise<Buffer>;
};

/** How a carried call fails: as grpc-js says it, and whether the server can have seen it. */
export type MuxFailure = Error & { code: status; details: string; metadata?: Metadata; wasSent: boolean };

export function muxFailure(code: status, details: string, wasSent: boolean, errorDetail?: Buffer): MuxFailure {
  const metadata = errorDetail === undefined ? {} : { metadata: errorDetailMetadata(errorDetail) };
  return Object.assign(new Error(details), { code, details, wasSent, ...metadata });
}

/** One call under way: settled once, by whichever comes first of answer, deadline, abort and the end of its stream. */
export class MuxCall implements Expiring {
  readonly request: MuxRequest;
  readonly deadlineMs: number;
  id = 0;
  /** Epoch milliseconds; 0 until it has left. */
  sentAtMs = 0;
  isSettled = false;
  previous: Expiring["previous"] = null;
  next: Expiring["next"] = null;
  /** Told when the caller no longer waits: the deadline passed or the signal aborted. */
  onGivenUp: ((call: MuxCall) => void) | null = null;
  readonly #wheel: DeadlineWheel;
  readonly #resolve: (bytes: Buffer) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    request: MuxRequest,
    wheel: DeadlineWheel,
    resolve: (bytes: Buffer) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request;
    this.deadlineMs = request.deadlineMs;
    this.#wheel = wheel;
    this.#resolve = resolve;
    this.#reject = reject;
    // The call itself is the listener: no function is made for each.
    request.signal?.addEventListener("abort", this);
    wheel.add(this);
  }

  answer(bytes: Buffer): void {
    if (this.#settle()) this.#resolve(bytes);
  }

  fail(error: MuxFailure): void {
    if (this.#settle()) this.#reject(error);
  }

  callAlone(): void {
    if (this.#settle()) this.request.callAlone(this.request).then(this.#resolve, this.#reject);
  }

  expire(): void {
    this.#giveUp(status.DEADLINE_EXCEEDED, "deadline exceeded");
  }

  handleEvent(): void {
    this.#giveUp(status.CANCELLED, "cancelled by the caller");
  }

  #giveUp(code: status, details: string): void {
    if (this.isSettled) return;
    this.fail(muxFailure(code, details, this.sentAtMs > 0));
    this.onGivenUp?.(this);
  }

  #settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.#wheel.remove(this);
    this.request.signal?.removeEventListener("abort", this);
    return true;
  }
}

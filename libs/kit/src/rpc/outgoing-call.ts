import { type Client, status } from "@grpc/grpc-js";
import type { CallContext } from "./call-context.ts";
import { type AttemptFailure, attemptFailure } from "./error-detail.ts";

/** A unary call with its encoded request, ready to be sent in a frame of a stream or as a plain call. */
export type OutgoingCall = {
  readonly path: string;
  readonly message: Buffer;
  readonly context: CallContext;
  /** Metadata that is sent in addition to the context. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** True if it must be sent as a plain call. */
  readonly isAlone?: boolean;
  /** If set, it is called with the client of a reachable replica, and nothing is sent. */
  readonly onReplica?: (client: Client) => void;
};

/**
 * One attempt to send a call. It is settled exactly once: by its response, its deadline, an abort or the end of its
 * connection.
 */
export class Attempt {
  readonly call: OutgoingCall;
  /** Epoch milliseconds; 0 until it is sent. */
  sentAtMs = 0;
  /** Called when the caller no longer waits because the deadline has passed or the signal has aborted. */
  onGivenUp: ((attempt: Attempt) => void) | null = null;
  readonly #resolve: (message: Uint8Array) => void;
  readonly #reject: (failure: AttemptFailure) => void;
  #isSettled = false;

  constructor(call: OutgoingCall, resolve: (message: Uint8Array) => void, reject: (failure: AttemptFailure) => void) {
    this.call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    // The attempt itself is the event listener, so that no function has to be created for each attempt.
    call.signal?.addEventListener("abort", this);
    if (call.signal?.aborted === true) this.handleEvent();
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  answer(message: Uint8Array): void {
    if (this.#settle()) this.#resolve(message);
  }

  fail(failure: AttemptFailure): void {
    if (this.#settle()) this.#reject(failure);
  }

  /** Ends the attempt when the call's deadline has passed. */
  expire(nowMs: number): void {
    if (nowMs >= this.call.deadlineMs) this.#giveUp(status.DEADLINE_EXCEEDED, "deadline exceeded");
  }

  handleEvent(): void {
    this.#giveUp(status.CANCELLED, "cancelled by the caller");
  }

  #giveUp(code: status, details: string): void {
    if (this.#isSettled) return;
    this.fail(attemptFailure(code, details, this.sentAtMs > 0));
    this.onGivenUp?.(this);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.call.signal?.removeEventListener("abort", this);
    return true;
  }
}

import { type Client, status } from "@grpc/grpc-js";
import type { CallContext } from "./call-context.ts";
import { type CallFailure, callFailure } from "./error-detail.ts";

/** A unary call to be made. */
export type CallRequest = {
  readonly path: string;
  readonly message: Uint8Array<ArrayBuffer>;
  readonly context: CallContext;
  /** Metadata beyond the context. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Always sent as a plain call. */
  readonly isAlone?: boolean;
  /** Sends nothing; receives the client of a reachable replica. */
  readonly onReplica?: (client: Client) => void;
};

/** A call in flight. It is settled once: by its answer, its deadline, an abort or the end of its connection. */
export class PendingCall {
  readonly request: CallRequest;
  /** Epoch milliseconds; 0 until it is sent. */
  sentAtMs = 0;
  /** Told when the caller no longer waits: the deadline passed or the signal aborted. */
  onGivenUp: ((call: PendingCall) => void) | null = null;
  readonly #resolve: (message: Uint8Array) => void;
  readonly #reject: (failure: CallFailure) => void;
  #isSettled = false;

  constructor(request: CallRequest, resolve: (message: Uint8Array) => void, reject: (failure: CallFailure) => void) {
    this.request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    // The call itself is the listener, so that no function is created for each call.
    request.signal?.addEventListener("abort", this);
    if (request.signal?.aborted === true) this.handleEvent();
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  answer(message: Uint8Array): void {
    if (this.#settle()) this.#resolve(message);
  }

  fail(failure: CallFailure): void {
    if (this.#settle()) this.#reject(failure);
  }

  /** Ends the call when its deadline has passed. */
  expire(nowMs: number): void {
    if (nowMs >= this.request.deadlineMs) this.#giveUp(status.DEADLINE_EXCEEDED, "deadline exceeded");
  }

  handleEvent(): void {
    this.#giveUp(status.CANCELLED, "cancelled by the caller");
  }

  #giveUp(code: status, details: string): void {
    if (this.#isSettled) return;
    this.fail(callFailure(code, details, this.sentAtMs > 0));
    this.onGivenUp?.(this);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.request.signal?.removeEventListener("abort", this);
    return true;
  }
}

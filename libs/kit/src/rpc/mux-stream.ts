import { fromBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type Client, type ServiceError as GrpcError, type Metadata, status } from "@grpc/grpc-js";
import { type CarryResponse, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import { clockKey, ServiceClock, steadyNowMs } from "./deadline.ts";
import { type CallFailure, callFailure } from "./error-detail.ts";
import { asBuffer } from "./message-bytes.ts";
import {
  batchBytesMax,
  batchFramesMax,
  type CallRequest,
  callsOfMapMax,
  muxPath,
  writeCall,
  writeCancellation,
} from "./multiplexed-call.ts";

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

export type MuxStreamEvents = {
  /** The server has accepted the stream; calls may be sent. */
  onTaken(clock: ServiceClock | null): void;
  /** The server is stopping or silent; the stream should be replaced. */
  onShouldRetire(): void;
  /** The stream has ended and all its calls are settled. */
  onOver(failure: { readonly code?: status; readonly details?: string }): void;
};

/** A call that waited this long on a silent stream is a sign of a dead connection. */
const silentMsMax = 2_000;

/** The caller's side of a stream of calls. */
export class MuxStream {
  readonly #events: MuxStreamEvents;
  readonly #stream;
  readonly #writer = new BinaryWriter();
  #pending = new Map<number, PendingCall>();
  #waiting: PendingCall[] = [];
  #cancelled: number[] = [];
  #clock: ServiceClock | null = null;
  #nextId = 1;
  #heardAtMs = steadyNowMs();
  #isScheduled = false;
  #isFlowing = true;
  #isRetired = false;
  #isEnded = false;
  #isOver = false;

  constructor(client: Client, events: MuxStreamEvents) {
    this.#events = events;
    const readResponse = (bytes: Buffer): CarryResponse => fromBinary(CarryResponseSchema, bytes);
    this.#stream = client.makeBidiStreamRequest(muxPath, (bytes: Buffer) => bytes, readResponse);
    this.#stream.on("metadata", (metadata: Metadata) => {
      this.#clock = ServiceClock.from(metadata.get(clockKey)[0]?.toString());
      events.onTaken(this.#clock);
    });
    this.#stream.on("data", (response: CarryResponse) => this.#hear(response));
    this.#stream.on("drain", () => {
      this.#isFlowing = true;
      this.#schedule();
    });
    this.#stream.on("error", (error: GrpcError) => this.#end(error));
    this.#stream.on("end", () => this.#end({}));
  }

  /** Calls not sent yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Adds a call once the stream is accepted. It is sent with all others of this event-loop tick. */
  add(call: PendingCall): void {
    this.#waiting.push(call);
    this.#schedule();
  }

  /** Accepts no more calls and ends once the present ones are answered. Returns the calls that were not sent. */
  retire(): PendingCall[] {
    this.#isRetired = true;
    const unsent = this.#waiting.filter((call) => !call.isSettled);
    this.#waiting = [];
    this.#endWhenIdle();
    return unsent;
  }

  /** Breaks the stream off. */
  cancel(): void {
    this.#stream.cancel();
  }

  /** Ends calls whose deadlines have passed. */
  sweep(nowMs: number): void {
    for (const call of this.#pending.values()) call.expire(nowMs);
    for (const call of this.#waiting) call.expire(nowMs);
    this.#waiting = this.#waiting.filter((call) => !call.isSettled);
    this.#endWhenIdle();
  }

  /** Are there calls with deadlines to watch? */
  get isIdle(): boolean {
    return this.#pending.size === 0 && this.#waiting.length === 0;
  }

  /** Sends calls together at the end of the tick, and at once when no pending answer could bring more calls. */
  #schedule(): void {
    if (this.#isScheduled || !this.#isFlowing || this.#isEnded || this.#isOver) return;
    this.#isScheduled = true;
    if (this.#pending.size === 0) process.nextTick(() => this.#flush());
    else setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    let at = 0;
    while (this.#isFlowing && !this.#isOver && (at < this.#waiting.length || this.#cancelled.length > 0)) {
      let calls = 0;
      for (const id of this.#cancelled.splice(0)) writeCancellation(this.#writer, id);
      const nowMs = steadyNowMs();
      const clockMs = this.#clock?.nowMs() ?? null;
      let bytes = 0;
      for (; at < this.#waiting.length && calls < batchFramesMax && bytes < batchBytesMax; at += 1) {
        const call = this.#waiting[at];
        call?.expire(nowMs);
        if (call === undefined || call.isSettled) continue;
        this.#writeOne(call, nowMs, clockMs);
        calls += 1;
        bytes += call.request.message.byteLength;
      }
      const request = this.#writer.finish();
      if (request.byteLength > 0) this.#isFlowing = this.#stream.write(asBuffer(request));
    }
    this.#waiting = at === this.#waiting.length ? [] : this.#waiting.slice(at);
    this.#endWhenIdle();
  }

  #writeOne(call: PendingCall, nowMs: number, clockMs: number | null): void {
    const id = this.#nextId++;
    if (id % callsOfMapMax === 0) this.#pending = new Map(this.#pending);
    this.#pending.set(id, call);
    const leftMs = call.request.deadlineMs - nowMs;
    call.sentAtMs = nowMs;
    call.onGivenUp = () => this.#giveUp(id, call);
    const timeoutMs = Math.min(Math.ceil(leftMs), 0x7fffffff);
    writeCall(this.#writer, id, call.request, timeoutMs, clockMs === null ? 0 : clockMs + leftMs);
  }

  #giveUp(id: number, call: PendingCall): void {
    const nowMs = steadyNowMs();
    this.#pending.delete(id);
    this.#cancelled.push(id);
    this.#schedule();
    // Nothing was received for long after the call was sent: the connection may be dead, so the next calls use another.
    if (this.#heardAtMs < call.sentAtMs && nowMs - call.sentAtMs >= silentMsMax) this.#events.onShouldRetire();
    this.#endWhenIdle();
  }

  #hear(response: CarryResponse): void {
    this.#heardAtMs = steadyNowMs();
    if (response.clockMs > 0) this.#clock?.heard(response.clockMs);
    for (const answer of response.answers) {
      const call = this.#pending.get(answer.id);
      // An answer and the cancellation of its call may cross.
      if (call === undefined) continue;
      this.#pending.delete(answer.id);
      if (answer.status === status.OK) call.answer(answer.message);
      else call.fail(callFailure(answer.status, "", true, answer.errorDetail));
    }
    if (response.draining) this.#events.onShouldRetire();
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (!this.#isRetired || this.#isEnded || this.#isOver) return;
    if (this.#pending.size > 0 || this.#cancelled.length > 0) return;
    this.#isEnded = true;
    this.#stream.end();
  }

  #end(failure: { code?: status; details?: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const calls = [...this.#pending.values(), ...this.#waiting];
    this.#pending = new Map();
    this.#waiting = [];
    this.#events.onOver(failure);
    const reason = failure.details ?? "the stream ended";
    for (const call of calls) {
      if (!call.isSettled) call.fail(callFailure(status.UNAVAILABLE, reason, call.sentAtMs > 0));
    }
  }
}

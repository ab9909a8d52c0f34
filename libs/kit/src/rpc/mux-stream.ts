import { fromBinary } from "@bufbuild/protobuf";
import { type Client, type ServiceError as GrpcError, type Metadata, status } from "@grpc/grpc-js";
import { type Call, CarryRequestSchema, type CarryResponse, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import { batchBytesMax, batchFramesMax, callFrame, callsOfMapMax, cancellationFrame, muxPath } from "./call-frame.ts";
import { clockKey, ServiceClock, steadyNowMs } from "./deadline.ts";
import { attemptFailure } from "./error-detail.ts";
import { encodeMessage } from "./message-bytes.ts";
import type { Attempt } from "./outgoing-call.ts";

export type MuxStreamEvents = {
  /** Called when the server has accepted the stream, after which calls may be sent. */
  onTaken(clock: ServiceClock | null): void;
  /** Called when the server is stopping or does not respond, so that the stream is replaced. */
  onShouldRetire(): void;
  /** Called when the stream has ended and all its calls are settled. */
  onOver(failure: { readonly code?: status; readonly details?: string }): void;
};

/** If a call has waited this long on a stream on which nothing arrives, the connection is considered dead. */
const silentMsMax = 2_000;

/** The caller's side of a stream of calls. */
export class MuxStream {
  readonly #events: MuxStreamEvents;
  readonly #stream;
  #pending = new Map<number, Attempt>();
  #waiting: Attempt[] = [];
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

  /** Returns the number of calls that were not sent yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an attempt; the stream must have been accepted. The attempt is sent together with all others of this
   * event-loop tick.
   */
  add(attempt: Attempt): void {
    this.#waiting.push(attempt);
    this.#schedule();
  }

  /** Accepts no more calls and ends once the current ones have responses. Returns the calls that were not sent. */
  retire(): Attempt[] {
    this.#isRetired = true;
    const unsent = this.#waiting.filter((attempt) => !attempt.isSettled);
    this.#waiting = [];
    this.#endWhenIdle();
    return unsent;
  }

  /** Aborts the stream. */
  cancel(): void {
    this.#stream.cancel();
  }

  /** Ends calls whose deadlines have passed. */
  sweep(nowMs: number): void {
    for (const attempt of this.#pending.values()) attempt.expire(nowMs);
    for (const attempt of this.#waiting) attempt.expire(nowMs);
    this.#waiting = this.#waiting.filter((attempt) => !attempt.isSettled);
    this.#endWhenIdle();
  }

  /** True if no calls are in progress, in which case no deadline has to be checked. */
  get isIdle(): boolean {
    return this.#pending.size === 0 && this.#waiting.length === 0;
  }

  /**
   * Sends calls together at the end of the tick, or immediately if no response is pending that could lead to more
   * calls.
   */
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
      const frames = this.#cancelled.splice(0).map(cancellationFrame);
      const framesMax = frames.length + batchFramesMax;
      const nowMs = steadyNowMs();
      const clockMs = this.#clock?.nowMs() ?? null;
      let bytes = 0;
      for (; at < this.#waiting.length && frames.length < framesMax && bytes < batchBytesMax; at += 1) {
        const attempt = this.#waiting[at];
        attempt?.expire(nowMs);
        if (attempt === undefined || attempt.isSettled) continue;
        frames.push(this.#frameOf(attempt, nowMs, clockMs));
        bytes += attempt.call.message.byteLength;
      }
      if (frames.length > 0) this.#isFlowing = this.#stream.write(encodeMessage(CarryRequestSchema, { calls: frames }));
    }
    this.#waiting = at === this.#waiting.length ? [] : this.#waiting.slice(at);
    this.#endWhenIdle();
  }

  #frameOf(attempt: Attempt, nowMs: number, clockMs: number | null): Call {
    const id = this.#nextId++;
    if (id % callsOfMapMax === 0) this.#pending = new Map(this.#pending);
    this.#pending.set(id, attempt);
    const leftMs = attempt.call.deadlineMs - nowMs;
    attempt.sentAtMs = nowMs;
    attempt.onGivenUp = () => this.#giveUp(id, attempt);
    const timeoutMs = Math.min(Math.ceil(leftMs), 0x7fffffff);
    return callFrame(id, attempt.call, timeoutMs, clockMs === null ? 0 : clockMs + leftMs);
  }

  #giveUp(id: number, { sentAtMs }: Attempt): void {
    const nowMs = steadyNowMs();
    this.#pending.delete(id);
    this.#cancelled.push(id);
    this.#schedule();
    // The call was sent long ago and nothing has arrived since. The connection may be dead, so the next calls use
    // another one.
    if (this.#heardAtMs < sentAtMs && nowMs - sentAtMs >= silentMsMax) this.#events.onShouldRetire();
    this.#endWhenIdle();
  }

  #hear(response: CarryResponse): void {
    this.#heardAtMs = steadyNowMs();
    if (response.clockMs > 0) this.#clock?.heard(response.clockMs);
    for (const answer of response.answers) {
      const attempt = this.#pending.get(answer.id);
      // The response was already on its way when the call was cancelled.
      if (attempt === undefined) continue;
      this.#pending.delete(answer.id);
      if (answer.status === status.OK) attempt.answer(answer.message);
      else attempt.fail(attemptFailure(answer.status, "", true, answer.errorDetail));
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
    const attempts = [...this.#pending.values(), ...this.#waiting];
    this.#pending = new Map();
    this.#waiting = [];
    this.#events.onOver(failure);
    const reason = failure.details ?? "the stream ended";
    for (const attempt of attempts) {
      if (!attempt.isSettled) attempt.fail(attemptFailure(status.UNAVAILABLE, reason, attempt.sentAtMs > 0));
    }
  }
}

import { fromBinary } from "@bufbuild/protobuf";
import { type handleBidiStreamingCall, Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import {
  type Answer,
  type Call,
  type CarryRequest,
  CarryRequestSchema,
  CarryResponseSchema,
} from "@platform/proto/mux/v1/mux";
import type { Logger } from "../process/logger.ts";
import {
  answerFrame,
  batchBytesMax,
  batchFramesMax,
  callsOfMapMax,
  contextOfFrame,
  metadataOfFrame,
  muxPath,
  type Reply,
} from "./call-frame.ts";
import { clockKey, clockNowMs, clockText, steadyNowMs } from "./deadline.ts";
import { toGrpcStatus } from "./error-detail.ts";
import { IncomingCall, type Peer, peerOf } from "./incoming-call.ts";
import { boundCheck } from "./message-bounds.ts";
import { encodeMessage } from "./message-bytes.ts";

/** Serves one call. The promise resolves even if the call failed. */
export type Serve = (call: IncomingCall) => Promise<Reply>;

/** State shared by all streams of a server. */
type MuxServerOptions = {
  readonly logger: Logger;
  /** True if clients present certificates. */
  readonly isTls: boolean;
  /** Finds the method and runs it. */
  readonly serve: Serve;
};

export type MuxServer = {
  readonly definition: { carry: MethodDefinition<CarryRequest, Buffer> };
  readonly handlers: { carry: handleBidiStreamingCall<CarryRequest, Buffer> };
  /** Asks every caller to use another server. A stream ends once all its calls have responses. */
  drain(): void;
};

type Stream = Parameters<handleBidiStreamingCall<CarryRequest, Buffer>>[0];

/**
 * Maximum number of calls in flight on one stream. At this number, the server stops reading, which applies
 * back-pressure to the caller.
 */
const underWayMax = 1_024;
/**
 * Maximum number of calls of one stream that start in one event-loop tick. Further calls start once these responses
 * have been sent, so that caller and server work at the same time.
 */
const turnCallsMax = 32;
/** With this many responses, they are sent immediately; fewer wait until the end of the tick. */
const earlyAnswers = 16;
const answerBytesMax = 5 * 1024 * 1024 - 1_024;
const refusalOf = boundCheck(CarryRequestSchema);
const noBytes = new Uint8Array();
const tooLarge: Reply = { status: status.RESOURCE_EXHAUSTED, message: noBytes, errorDetail: noBytes };

export function createMuxServer(options: MuxServerOptions): MuxServer {
  const streams = new Set<ServedStream>();
  let isDraining = false;
  return {
    definition: {
      carry: {
        path: muxPath,
        requestStream: true,
        responseStream: true,
        requestSerialize: (request) => encodeMessage(CarryRequestSchema, request),
        requestDeserialize: (bytes) => fromBinary(CarryRequestSchema, bytes),
        responseSerialize: (bytes) => bytes,
        responseDeserialize: (bytes) => bytes,
      },
    },
    handlers: {
      carry: (stream) => {
        const served = new ServedStream(stream, options, () => streams.delete(served));
        streams.add(served);
        // A stream may start on a connection that is already closing.
        if (isDraining) served.drain();
      },
    },
    drain: () => {
      isDraining = true;
      for (const stream of streams) stream.drain();
    },
  };
}

/** A call with the id of its frame. */
type Numbered = { readonly id: number; readonly call: IncomingCall };

/** The server's side of a stream of calls. */
class ServedStream {
  readonly #stream: Stream;
  readonly #options: MuxServerOptions;
  readonly #onOver: () => void;
  readonly #peer: Peer;
  #underWay = new Map<number, IncomingCall>();
  /** Received calls that wait to be started. */
  #arrived: Numbered[] = [];
  #isWorkScheduled = false;
  #answers: Answer[] = [];
  #isScheduled = false;
  #isFlowing = true;
  #isCallerDone = false;
  #isOver = false;

  constructor(stream: Stream, options: MuxServerOptions, onOver: () => void) {
    this.#stream = stream;
    this.#options = options;
    this.#onOver = onOver;
    this.#peer = peerOf(stream, options.isTls);
    // Accepting the stream sends the server's clock; the caller sends no calls before.
    const taken = new Metadata();
    taken.set(clockKey, clockText());
    stream.sendMetadata(taken);
    stream.on("data", (request: CarryRequest) => this.#read(request));
    stream.on("drain", () => {
      this.#isFlowing = true;
      this.#schedule();
      this.#adjust();
    });
    stream.on("end", () => {
      this.#isCallerDone = true;
      this.#adjust();
    });
    stream.on("cancelled", () => this.#end());
    stream.on("error", () => this.#end());
  }

  drain(): void {
    if (!this.#isOver) this.#stream.write(encodeMessage(CarryResponseSchema, { draining: true }));
  }

  #read(request: CarryRequest): void {
    const refusal = refusalOf(request);
    if (refusal !== null) return void this.#stream.emit("error", toGrpcStatus(refusal));
    const nowMs = steadyNowMs();
    const clockMs = clockNowMs();
    for (const frame of request.calls) {
      if (frame.cancelled) this.#cancel(frame.id);
      else this.#arrived.push({ id: frame.id, call: this.#callOf(frame, nowMs, clockMs) });
    }
    if (!this.#isWorkScheduled) this.#work();
  }

  /** @param clockMs the moment `nowMs`, in epoch milliseconds, by the clock sent to callers */
  #callOf(frame: Call, nowMs: number, clockMs: number): IncomingCall {
    const { path, message, timeoutMs, expiresAtMs } = frame;
    // Only the server's clock tells how long the call has waited unread.
    const leftMs = expiresAtMs > 0 ? Math.min(timeoutMs, expiresAtMs - clockMs) : timeoutMs;
    const deadlineMs = Math.floor(nowMs + leftMs);
    const metadata = { get: (name: string) => metadataOfFrame(frame, name) };
    const received = { path, message, context: contextOfFrame(frame), metadata, deadlineMs, isTimed: true };
    return new IncomingCall(received, this.#peer, this.#options.logger);
  }

  #cancel(id: number): void {
    const waiting = this.#arrived.find((one) => one.id === id);
    (this.#underWay.get(id) ?? waiting?.call)?.end("the caller gave up");
  }

  #work(): void {
    this.#isWorkScheduled = false;
    if (this.#isOver) return;
    for (const { id, call } of this.#arrived.splice(0, turnCallsMax)) {
      if (id % callsOfMapMax === 0) this.#underWay = new Map(this.#underWay);
      this.#underWay.set(id, call);
      this.#options.serve(call).then((reply) => this.#answer(id, reply));
    }
    if (this.#arrived.length > 0) {
      this.#isWorkScheduled = true;
      setImmediate(() => this.#work());
    }
    this.#adjust();
  }

  #answer(id: number, reply: Reply): void {
    this.#underWay.delete(id);
    if (this.#isOver) return;
    this.#answers.push(answerFrame(id, reply.message.byteLength > answerBytesMax ? tooLarge : reply));
    if (this.#answers.length === earlyAnswers) process.nextTick(() => this.#flush());
    this.#schedule();
  }

  /** Sends responses together at the end of the tick, or immediately if no other response is expected. */
  #schedule(): void {
    if (this.#isScheduled || !this.#isFlowing || this.#isOver) return;
    if (this.#underWay.size === 0 && this.#arrived.length === 0) this.#flush();
    else {
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    }
  }

  #flush(): void {
    this.#isScheduled = false;
    let at = 0;
    while (this.#isFlowing && !this.#isOver && at < this.#answers.length) {
      const answers: Answer[] = [];
      for (let bytes = 0; at < this.#answers.length && answers.length < batchFramesMax; at += 1) {
        const answer = this.#answers[at];
        if (answer === undefined) break;
        bytes += answer.message.byteLength;
        // A response that does not fit into this message is sent in the next one.
        if (answers.length > 0 && bytes > batchBytesMax) break;
        answers.push(answer);
      }
      this.#isFlowing = this.#stream.write(encodeMessage(CarryResponseSchema, { answers, clockMs: clockNowMs() }));
    }
    this.#answers = at === this.#answers.length ? [] : this.#answers.slice(at);
    this.#adjust();
  }

  /**
   * Applies back-pressure: pauses reading while the caller does not read its responses, or sends calls faster than they
   * are processed.
   */
  #adjust(): void {
    const held = this.#arrived.length + this.#underWay.size + this.#answers.length;
    const mayRead = this.#isFlowing && held < underWayMax;
    if (mayRead && this.#stream.isPaused()) this.#stream.resume();
    else if (!mayRead && !this.#stream.isPaused()) this.#stream.pause();
    if (this.#isCallerDone && !this.#isOver && held === 0) {
      this.#end();
      this.#stream.end();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#arrived = [];
    this.#onOver();
    for (const call of this.#underWay.values()) call.end("the caller went away");
  }
}

import type { PeerCertificate } from "node:tls";
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type handleBidiStreamingCall, Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import { type Call, type CarryRequest, CarryRequestSchema, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import { clockKey, clockNowMs, clockText, steadyNowMs } from "./deadline.ts";
import { toGrpcStatus } from "./error-detail.ts";
import type { ArrivingCall, IncomingCall } from "./incoming-call.ts";
import { boundCheck } from "./message-bounds.ts";
import { asBuffer, encodeMessage } from "./message-bytes.ts";
import {
  batchBytesMax,
  batchFramesMax,
  callsOfMapMax,
  contextOfCall,
  type MultiplexedReply,
  metadataOfCall,
  muxPath,
  writeAnswer,
  writeClock,
} from "./multiplexed-call.ts";

export type MuxServer = {
  readonly definition: { carry: MethodDefinition<CarryRequest, Buffer> };
  readonly handlers: { carry: handleBidiStreamingCall<CarryRequest, Buffer> };
  /** Tells every caller to use another server. A stream ends once its calls are answered. */
  drain(): void;
};

type Stream = Parameters<handleBidiStreamingCall<CarryRequest, Buffer>>[0];

/** Calls in flight on one stream. Beyond that the server stops reading, which is back-pressure for the caller. */
const underWayMax = 1_024;
/**
 * Calls of one stream that start in one event-loop tick. The next ones start once the answers of these have left, so that caller and
 * server work at the same time.
 */
const turnCallsMax = 32;
/** This many answers are sent at once; fewer wait for the end of the tick. */
const earlyAnswers = 16;
const answerBytesMax = 5 * 1024 * 1024 - 1_024;
const refusalOf = boundCheck(CarryRequestSchema);
const noBytes = new Uint8Array();
const tooLarge: MultiplexedReply = { status: status.RESOURCE_EXHAUSTED, message: noBytes, errorDetail: noBytes };

/** @param serve finds the method and runs it */
export function createMuxServer(serve: ServeMultiplexed): MuxServer {
  const streams = new Set<ServedStream>();
  let isDraining = false;
  return {
    definition: {
      carry: {
        path: muxPath,
        requestStream: true,
        responseStream: true,
        requestSerialize: (request) => asBuffer(encodeMessage(CarryRequestSchema, request)),
        requestDeserialize: (bytes) => fromBinary(CarryRequestSchema, bytes),
        responseSerialize: (bytes) => bytes,
        responseDeserialize: (bytes) => bytes,
      },
    },
    handlers: {
      carry: (stream) => {
        const served = new ServedStream(stream, serve, () => streams.delete(served));
        streams.add(served);
        // A stream may begin on a connection that was told to close a moment ago.
        if (isDraining) served.drain();
      },
    },
    drain: () => {
      isDraining = true;
      for (const stream of streams) stream.drain();
    },
  };
}

/** The server's side of a stream of calls. */
class ServedStream {
  readonly #stream: Stream;
  readonly #serve: ServeMultiplexed;
  readonly #onOver: () => void;
  readonly #sender: Sender;
  #underWay = new Map<number, ServedCall>();
  /** Received calls that wait to be started. */
  #arrived: ServedCall[] = [];
  #isWorkScheduled = false;
  readonly #writer = new BinaryWriter();
  #answers: { readonly id: number; readonly reply: MultiplexedReply }[] = [];
  #isScheduled = false;
  #isFlowing = true;
  #isCallerDone = false;
  #isOver = false;

  constructor(stream: Stream, serve: ServeMultiplexed, onOver: () => void) {
    this.#stream = stream;
    this.#serve = serve;
    this.#onOver = onOver;
    this.#sender = senderOf(stream);
    // Accepts the stream; the caller sends nothing before.
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
    if (!this.#isOver) this.#stream.write(asBuffer(encodeMessage(CarryResponseSchema, { draining: true })));
  }

  #read(request: CarryRequest): void {
    const refusal = refusalOf(request);
    if (refusal !== null) return void this.#stream.emit("error", toGrpcStatus(refusal));
    const nowMs = steadyNowMs();
    const clockMs = clockNowMs();
    for (const frame of request.calls) {
      if (frame.cancelled) this.#cancel(frame.id);
      else this.#arrived.push(new ServedCall(frame, this.#sender, nowMs, clockMs));
    }
    if (!this.#isWorkScheduled) this.#work();
  }

  #cancel(id: number): void {
    this.#underWay.get(id)?.end("the caller gave up");
    this.#arrived.find((call) => call.id === id)?.end("the caller gave up");
  }

  #work(): void {
    this.#isWorkScheduled = false;
    if (this.#isOver) return;
    for (const call of this.#arrived.splice(0, turnCallsMax)) {
      if (call.id % callsOfMapMax === 0) this.#underWay = new Map(this.#underWay);
      this.#underWay.set(call.id, call);
      this.#serve(call).then((reply) => this.#answer(call, reply));
    }
    if (this.#arrived.length > 0) {
      this.#isWorkScheduled = true;
      setImmediate(() => this.#work());
    }
    this.#adjust();
  }

  #answer(call: ServedCall, reply: MultiplexedReply): void {
    this.#underWay.delete(call.id);
    call.settle();
    if (this.#isOver) return;
    this.#answers.push({ id: call.id, reply: reply.message.byteLength > answerBytesMax ? tooLarge : reply });
    if (this.#answers.length === earlyAnswers) process.nextTick(() => this.#flush());
    this.#schedule();
  }

  /** Sends answers together at the end of the tick, and at once when no other answer is due. */
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
      let frames = 0;
      for (let bytes = 0; at < this.#answers.length && frames < batchFramesMax; at += 1, frames += 1) {
        const answer = this.#answers[at];
        if (answer === undefined) break;
        bytes += answer.reply.message.byteLength;
        // An answer that would not fit goes into a message of its own.
        if (frames > 0 && bytes > batchBytesMax) break;
        writeAnswer(this.#writer, answer.id, answer.reply);
      }
      writeClock(this.#writer, clockNowMs());
      this.#isFlowing = this.#stream.write(asBuffer(this.#writer.finish()));
    }
    this.#answers = at === this.#answers.length ? [] : this.#answers.slice(at);
    this.#adjust();
  }

  /** Back-pressure: pauses reading while the caller does not take its answers or sends faster than calls are served. */
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

/** Serves one call; resolves also when it failed. */
export type ServeMultiplexed = (call: ServedCall) => Promise<MultiplexedReply>;

/** The caller of a stream, shared by all its calls and read on first use. */
type Sender = {
  peer(): string;
  certificate(): PeerCertificate | undefined;
};

function senderOf(stream: Stream): Sender {
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

  /** @param clockMs the moment `nowMs`, in epoch milliseconds, by the clock sent to callers */
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
      const leftMs = Math.max(0, this.deadlineMs - steadyNowMs());
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

import {
  type handleBidiStreamingCall,
  Metadata,
  type MethodDefinition,
  type ServerDuplexStream,
  status,
} from "@grpc/grpc-js";
import { createIdTable } from "../memory/id-table.ts";
import {
  batchBytesMax,
  batchFramesMax,
  type CarriedAnswer,
  type CarriedCall,
  carryPath,
  drainingResponse,
  readCalls,
  writeAnswer,
} from "./mux-frame.ts";
import { type CarriedReply, type ServeCarried, ServedCall, senderOf } from "./mux-served-call.ts";
import { capacityAfter, WireWriter } from "./mux-wire.ts";

export type MuxServer = {
  readonly definition: { carry: MethodDefinition<Buffer, Buffer> };
  readonly handlers: { carry: handleBidiStreamingCall<Buffer, Buffer> };
  /** Tells every caller to go elsewhere; the streams end once what they have is answered. */
  drain(): void;
};

/** Calls of one stream that may be under way at once; beyond, no more are read, and the caller's writes are held back. */
const underWayMax = 1_024;

/**
 * Calls of one stream that are begun in one turn of the event loop; the next ones are begun once the answers of these have left. A caller
 * then works on the first answers while the others are made, instead of both waiting for each other.
 */
const turnCallsMax = 32;

/**
 * Answers that do not wait for the end of the turn once they are there, but only for those that were made with them: what is written then
 * leaves with this turn, what is written at its end only with the next. Fewer may be joined by others, and each message has its price.
 */
const earlyAnswers = 8;

const answerBytesMax = 5 * 1024 * 1024 - 1_024;
const noBytes = Buffer.alloc(0);
const same = (bytes: Buffer): Buffer => bytes;

/** @param serve finds the method and runs it */
export function createMuxServer(serve: ServeCarried): MuxServer {
  const streams = new Set<{ drain(): void }>();
  return {
    definition: {
      carry: {
        path: carryPath,
        requestStream: true,
        responseStream: true,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    handlers: {
      carry: (stream) => {
        const served = serveStream(stream, serve, () => streams.delete(served));
        streams.add(served);
      },
    },
    drain: () => {
      for (const stream of streams) stream.drain();
    },
  };
}

function serveStream(
  stream: ServerDuplexStream<Buffer, Buffer>,
  serve: ServeCarried,
  onOver: () => void,
): { drain(): void } {
  // Says that the stream is taken; its caller sends nothing before.
  stream.sendMetadata(new Metadata());
  const sender = senderOf(stream);
  const underWay = createIdTable<ServedCall>();
  /** Calls that have come and wait for a turn in which they are begun. */
  let arrived: CarriedCall[] = [];
  let isTurnScheduled = false;
  let answers: CarriedAnswer[] = [];
  let isScheduled = false;
  let lastBytes = 0;
  let isFlowing = true;
  let isCallerDone = false;
  let isOver = false;

  /** Answers leave at the end of the turn, together, a group of them before it, and all at once when none is awaited. */
  const schedule = (): void => {
    if (isScheduled || !isFlowing || isOver) return;
    if (underWay.size() === 0 && arrived.length === 0) {
      flush();
      return;
    }
    isScheduled = true;
    setImmediate(flush);
  };

  const flush = (): void => {
    isScheduled = false;
    let at = 0;
    while (isFlowing && !isOver && at < answers.length) {
      const writer = new WireWriter(capacityAfter(lastBytes));
      for (let frames = 0; at < answers.length && frames < batchFramesMax; at += 1, frames += 1) {
        const answer = answers[at];
        if (answer === undefined) break;
        // An answer that would not fit goes into a message of its own.
        if (frames > 0 && writer.length() + answer.message.byteLength > batchBytesMax) break;
        writeAnswer(writer, answer);
      }
      lastBytes = writer.length();
      isFlowing = stream.write(writer.finish());
    }
    answers = at === answers.length ? [] : answers.slice(at);
    adjust();
  };

  /** Reads on, or not: a caller that does not take its answers, or sends faster than they are made, is held back. */
  const adjust = (): void => {
    const mayRead = isFlowing && arrived.length + underWay.size() < underWayMax;
    if (mayRead && stream.isPaused()) stream.resume();
    else if (!mayRead && !stream.isPaused()) stream.pause();
    if (isCallerDone && !isOver && arrived.length + underWay.size() === 0 && answers.length === 0) {
      over();
      stream.end();
    }
  };

  /** Begins calls that have arrived, as many as one turn may. */
  const work = (): void => {
    isTurnScheduled = false;
    const begun = arrived.length <= turnCallsMax ? arrived : arrived.slice(0, turnCallsMax);
    arrived = arrived.slice(begun.length);
    const nowMs = Date.now();
    for (const call of begun) begin(new ServedCall(call, sender, nowMs));
    if (arrived.length > 0) scheduleTurn();
    adjust();
  };

  /** In the next turn but one: in the next one the answers of this turn are written, which leave at its end. */
  const scheduleTurn = (): void => {
    if (isTurnScheduled || isOver) return;
    isTurnScheduled = true;
    setImmediate(() => setImmediate(work));
  };

  const cancel = (id: number): void => {
    arrived = arrived.filter((call) => call.id !== id);
    underWay.get(id)?.end("the caller gave up");
  };

  const begin = (call: ServedCall): void => {
    underWay.set(call.id, call);
    serve(call).then((reply) => answer(call, reply));
  };

  const answer = (call: ServedCall, { status: code, message, errorDetail }: CarriedReply): void => {
    underWay.delete(call.id);
    call.settle();
    if (isOver) return;
    answers.push(
      message.byteLength > answerBytesMax
        ? { id: call.id, status: status.RESOURCE_EXHAUSTED, message: noBytes, errorDetail: noBytes }
        : { id: call.id, status: code, message, errorDetail },
    );
    schedule();
    if (answers.length === earlyAnswers) process.nextTick(flush);
  };

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    arrived = [];
    onOver();
    for (const call of underWay.values()) call.end("the caller went away");
  };

  stream.on("data", (bytes: Buffer) => {
    try {
      readCalls(bytes, (call) => arrived.push(call), cancel);
    } catch {
      over();
      stream.destroy(Object.assign(new Error("malformed frame"), { code: status.INVALID_ARGUMENT }));
      return;
    }
    if (!isTurnScheduled) work();
  });
  stream.on("drain", () => {
    isFlowing = true;
    schedule();
    adjust();
  });
  stream.on("end", () => {
    isCallerDone = true;
    adjust();
  });
  stream.on("cancelled", over);
  stream.on("error", over);

  return {
    drain: () => {
      if (!isOver) stream.write(drainingResponse());
    },
  };
}

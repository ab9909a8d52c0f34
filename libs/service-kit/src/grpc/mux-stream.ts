import { type Client, type ClientDuplexStream, type ServiceError as GrpcError, status } from "@grpc/grpc-js";
import { createIdTable } from "../memory/id-table.ts";
import { type MuxCall, muxFailure } from "./mux-call.ts";
import { batchBytesMax, batchFramesMax, carryPath, readAnswers, writeCall, writeCancellation } from "./mux-frame.ts";
import { capacityAfter, WireWriter } from "./mux-wire.ts";

/** One stream of calls as its caller holds it. */
export type MuxStream = {
  readonly openedAtMs: number;
  /** Takes a call; it leaves with all others of this turn of the event loop. */
  add(call: MuxCall): void;
  /** Takes no more calls; ends once those it has are answered. Calls that have not left are given back. */
  retire(): MuxCall[];
};

export type MuxStreamEvents = {
  /** The server is stopping, or has gone silent: the stream should be retired. */
  onShouldRetire(): void;
  /** The server carries no calls at all; `calls` have not been made. */
  onUnimplemented(calls: readonly MuxCall[]): void;
  /** The stream is over. */
  onEnd(): void;
};

/** Most calls that wait to leave: beyond, the server is not keeping up, and waiting longer would only spend the callers' deadlines. */
const waitingMax = 8_192;

/** A call that waited this long on a stream from which nothing came meanwhile is taken as a sign that the connection is dead. */
const silentMsMax = 2_000;

const same = (bytes: Buffer): Buffer => bytes;

/** Opens a stream on a channel. */
export function openMuxStream(client: Client, events: MuxStreamEvents): MuxStream {
  const stream: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(carryPath, same, same);
  const pending = createIdTable<MuxCall>();
  let waiting: MuxCall[] = [];
  let cancelled: number[] = [];
  let nextId = 1;
  let lastBytes = 0;
  let isScheduled = false;
  // Nothing leaves before the server has taken the stream: until then a call that fails has certainly not been made.
  let isFlowing = false;
  let isRetired = false;
  let isEnded = false;
  let isOver = false;
  let heardAtMs = Date.now();

  /** Calls leave at the end of the turn, together; at once when no answer is awaited with which others might come. */
  const schedule = (): void => {
    if (isScheduled || !isFlowing || isEnded || isOver) return;
    isScheduled = true;
    if (pending.size() === 0) process.nextTick(flush);
    else setImmediate(flush);
  };

  const flush = (): void => {
    isScheduled = false;
    let at = 0;
    while (isFlowing && !isEnded && !isOver && (at < waiting.length || cancelled.length > 0)) {
      const writer = new WireWriter(capacityAfter(lastBytes));
      for (const id of cancelled) writeCancellation(writer, id);
      cancelled = [];
      const nowMs = Date.now();
      let frames = 0;
      for (; at < waiting.length && frames < batchFramesMax && writer.length() < batchBytesMax; at += 1) {
        const call = waiting[at];
        if (call === undefined || call.isSettled) continue;
        writeOne(writer, call, nowMs);
        frames += 1;
      }
      lastBytes = writer.length();
      if (lastBytes > 0) isFlowing = stream.write(writer.finish());
    }
    waiting = at === waiting.length ? [] : waiting.slice(at);
  };

  const writeOne = (writer: WireWriter, call: MuxCall, nowMs: number): void => {
    const { path, message, context, metadata, deadlineMs } = call.request;
    call.id = nextId;
    call.sentAtMs = nowMs;
    nextId += 1;
    pending.set(call.id, call);
    const timeoutMs = Math.max(0, Math.min(deadlineMs - nowMs, 0x7fffffff));
    writeCall(writer, { id: call.id, path, timeoutMs, message, context, metadata });
  };

  const givenUp = (call: MuxCall): void => {
    if (!pending.delete(call.id)) return;
    const nowMs = Date.now();
    // Nothing has come since the call left, and it waited long: its connection may be dead, so the next calls take another.
    if (heardAtMs < call.sentAtMs && nowMs - call.sentAtMs >= silentMsMax) events.onShouldRetire();
    cancelled.push(call.id);
    schedule();
    endWhenIdle();
  };

  const endWhenIdle = (): void => {
    if (!isRetired || isEnded || isOver || pending.size() > 0) return;
    isEnded = true;
    stream.end();
  };

  const over = (error: Partial<GrpcError> | null): void => {
    if (isOver) return;
    isOver = true;
    const calls = [...pending.values(), ...waiting].filter((call) => !call.isSettled);
    pending.clear();
    waiting = [];
    events.onEnd();
    if (error?.code === status.UNIMPLEMENTED) {
      events.onUnimplemented(calls);
      return;
    }
    const reason = error?.details ?? "the stream ended";
    for (const call of calls) call.fail(muxFailure(status.UNAVAILABLE, reason, call.sentAtMs > 0));
  };

  stream.on("data", (bytes: Buffer) => {
    heardAtMs = Date.now();
    try {
      const isDraining = readAnswers(bytes, ({ id, status: code, message, errorDetail }) => {
        const call = pending.get(id);
        // Answers to calls that were given up cross with the news of it.
        if (call === undefined) return;
        pending.delete(id);
        if (code === status.OK) call.answer(message);
        else call.fail(muxFailure(code, "", true, errorDetail));
      });
      if (isDraining) events.onShouldRetire();
    } catch (error) {
      stream.cancel();
      over({ details: (error as Error).message });
    }
    endWhenIdle();
  });
  const flow = (): void => {
    isFlowing = true;
    if (waiting.length > 0 || cancelled.length > 0) schedule();
  };
  stream.on("metadata", flow);
  stream.on("drain", flow);
  stream.on("error", (error: GrpcError) => over(error));
  stream.on("end", () => over(null));

  return {
    openedAtMs: Date.now(),
    add: (call) => {
      if (waiting.length >= waitingMax) {
        call.fail(muxFailure(status.RESOURCE_EXHAUSTED, "too many calls wait for the server", false));
        return;
      }
      call.onGivenUp = givenUp;
      waiting.push(call);
      schedule();
    },
    retire: () => {
      isRetired = true;
      const unsent = waiting.filter((call) => !call.isSettled);
      waiting = [];
      endWhenIdle();
      return unsent;
    },
  };
}

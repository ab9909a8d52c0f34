import type { CallContext } from "./call-context.ts";
import { WireReader, WireWriter } from "./mux-wire.ts";

/** The method that carries calls; proto/projectintegration/mux/v1. */
export const carryPath = "/platform.mux.v1.MuxService/Carry";

/** Most calls of one message, and most bytes of it unless a single call has more. */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/** Largest message that is carried; larger ones would hold up the others and are called by themselves. */
export const carriedBytesMax = 64 * 1024;

/** A call as it arrives. `metadata` is beyond the context. */
export type CarriedCall = {
  readonly id: number;
  readonly path: string;
  readonly timeoutMs: number;
  readonly message: Buffer;
  readonly context: CallContext;
  readonly metadata: ReadonlyMap<string, string>;
};

export type CarriedAnswer = {
  readonly id: number;
  /** gRPC status code; 0 is success. */
  readonly status: number;
  readonly message: Buffer;
  readonly errorDetail: Buffer;
};

const noBytes: Buffer = Buffer.alloc(0);
const noMetadata: ReadonlyMap<string, string> = new Map();

/** Writes one call into a CarryRequest. */
export function writeCall(
  writer: WireWriter,
  call: {
    id: number;
    path: string;
    timeoutMs: number;
    message: Uint8Array;
    context: CallContext;
    metadata: readonly string[];
  },
): void {
  const { context } = call;
  const mark = writer.begin(1);
  writer.varint(1, call.id);
  writer.text(2, call.path);
  writer.varint(3, call.timeoutMs);
  writer.bytes(4, call.message);
  writer.text(5, context.correlationId);
  writer.text(6, context.operation);
  if (context.projectClient !== null) {
    writer.text(7, context.projectClient.id);
    writer.text(8, context.projectClient.environment);
  }
  if (context.idempotency !== null) {
    writer.text(9, context.idempotency.key);
    writer.text(10, context.idempotency.fingerprint);
  }
  if (context.traceparent !== undefined) writer.text(11, context.traceparent);
  for (const line of call.metadata) writer.text(12, line);
  writer.end(mark);
}

/** Writes the news that a call is no longer wanted. */
export function writeCancellation(writer: WireWriter, id: number): void {
  const mark = writer.begin(1);
  writer.varint(1, id);
  writer.varint(13, 1);
  writer.end(mark);
}

/** Writes one answer into a CarryResponse. */
export function writeAnswer(writer: WireWriter, answer: CarriedAnswer): void {
  const mark = writer.begin(1);
  writer.varint(1, answer.id);
  if (answer.status !== 0) writer.varint(2, answer.status);
  if (answer.message.byteLength > 0) writer.bytes(3, answer.message);
  if (answer.errorDetail.byteLength > 0) writer.bytes(4, answer.errorDetail);
  writer.end(mark);
}

/** A CarryResponse that says the server is stopping. */
export function drainingResponse(): Buffer {
  const writer = new WireWriter(8);
  writer.varint(2, 1);
  return writer.finish();
}

/** Reads a CarryRequest: its calls, and the ids of calls no longer wanted. */
export function readCalls(bytes: Buffer, onCall: (call: CarriedCall) => void, onCancelled: (id: number) => void): void {
  const reader = new WireReader(bytes);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readCall(reader, onCall, onCancelled);
    else reader.skip();
  }
}

function readCall(reader: WireReader, onCall: (call: CarriedCall) => void, onCancelled: (id: number) => void): void {
  const outer = reader.enter();
  let id = 0;
  let path = "";
  let timeoutMs = 0;
  let message: Buffer = noBytes;
  let isCancelled = false;
  let correlationId = "";
  let operation = "";
  let clientId: string | null = null;
  let environment = "";
  let key: string | null = null;
  let fingerprint = "";
  let traceparent: string | null = null;
  let metadata: Map<string, string> | null = null;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) id = reader.varint();
    else if (field === 2) path = reader.text();
    else if (field === 3) timeoutMs = reader.varint();
    else if (field === 4) message = reader.bytes();
    else if (field === 5) correlationId = reader.text();
    else if (field === 6) operation = reader.text();
    else if (field === 7) clientId = reader.text();
    else if (field === 8) environment = reader.text();
    else if (field === 9) key = reader.text();
    else if (field === 10) fingerprint = reader.text();
    else if (field === 11) traceparent = reader.text();
    else if (field === 12) {
      metadata ??= new Map();
      const line = reader.text();
      const colon = line.indexOf(": ");
      metadata.set(line.slice(0, colon), line.slice(colon + 2));
    } else if (field === 13) isCancelled = reader.varint() === 1;
    else reader.skip();
  }
  reader.leave(outer);
  if (isCancelled) {
    onCancelled(id);
    return;
  }
  onCall({
    id,
    path,
    timeoutMs,
    message,
    metadata: metadata ?? noMetadata,
    context: {
      correlationId,
      operation,
      projectClient: clientId === null ? null : { id: clientId, environment },
      idempotency: key === null ? null : { key, fingerprint },
      ...(traceparent === null ? {} : { traceparent }),
    },
  });
}

/** Reads a CarryResponse. Answers whether the server is stopping. */
export function readAnswers(bytes: Buffer, onAnswer: (answer: CarriedAnswer) => void): boolean {
  const reader = new WireReader(bytes);
  let isDraining = false;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) onAnswer(readAnswer(reader));
    else if (field === 2) isDraining = reader.varint() === 1;
    else reader.skip();
  }
  return isDraining;
}

function readAnswer(reader: WireReader): CarriedAnswer {
  const outer = reader.enter();
  let id = 0;
  let status = 0;
  let message: Buffer = noBytes;
  let errorDetail: Buffer = noBytes;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) id = reader.varint();
    else if (field === 2) status = reader.varint();
    else if (field === 3) message = reader.bytes();
    else if (field === 4) errorDetail = reader.bytes();
    else reader.skip();
  }
  reader.leave(outer);
  return { id, status, message, errorDetail };
}

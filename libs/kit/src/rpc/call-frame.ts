import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Client } from "@grpc/grpc-js";
import { type Call, MuxService } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import { methodPath } from "./service-definition.ts";

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

/** The method that multiplexes calls; proto/projectintegration/mux/v1. */
export const muxPath = methodPath(MuxService.method.carry);

/** Largest number of calls or answers in one message, and its largest size unless a single one is larger. */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/**
 * After so many calls a Map of calls in flight is replaced by a copy: V8 links each table of a Map to the one that replaces it, and once one of
 * them is among the old objects, every later call and its request are kept until the next full collection.
 */
export const callsOfMapMax = 1_024;

/** Largest multiplexed message. Larger ones would delay the others and are sent as plain calls. */
export const multiplexedBytesMax = 64 * 1024;

/** The answer to a multiplexed call. */
export type MultiplexedReply = {
  /** gRPC status code; 0 is success. */
  readonly status: number;
  readonly message: Uint8Array<ArrayBuffer>;
  readonly errorDetail: Uint8Array<ArrayBuffer>;
};

const { Bit64, LengthDelimited, Varint } = WireType;

/**
 * Writes one call of a CarryRequest. The writer is reused between messages: `toBinary` allocates 128 bytes each time and doubles them, which was a
 * third of a call's cost on both sides. Empty text stands for an absent value.
 */
export function writeCall(
  writer: BinaryWriter,
  id: number,
  { path, message, context, metadata }: Pick<CallRequest, "path" | "message" | "context" | "metadata">,
  timeoutMs: number,
  expiresAtMs: number,
): void {
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).uint32(id);
  writer.tag(2, LengthDelimited).string(path);
  writer.tag(3, Varint).uint32(timeoutMs);
  writer.tag(4, LengthDelimited).bytes(message);
  writer.tag(5, LengthDelimited).string(context.correlationId);
  writer.tag(6, LengthDelimited).string(context.operation);
  if (context.projectClient !== null) {
    writer.tag(7, LengthDelimited).string(context.projectClient.id);
    writer.tag(8, LengthDelimited).string(context.projectClient.environment);
  }
  if (context.idempotency !== null) {
    writer.tag(9, LengthDelimited).string(context.idempotency.key);
    writer.tag(10, LengthDelimited).string(context.idempotency.fingerprint);
  }
  if (context.traceparent !== undefined) writer.tag(11, LengthDelimited).string(context.traceparent);
  for (const name in metadata) writer.tag(12, LengthDelimited).string(`${name}: ${metadata[name]}`);
  writer.tag(14, Bit64).double(expiresAtMs);
  writer.join();
}

/** Writes the cancellation of a call. */
export function writeCancellation(writer: BinaryWriter, id: number): void {
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).uint32(id);
  writer.tag(13, Varint).bool(true);
  writer.join();
}

/** Writes one answer of a CarryResponse. */
export function writeAnswer(
  writer: BinaryWriter,
  id: number,
  { status, message, errorDetail }: MultiplexedReply,
): void {
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).uint32(id);
  writer.tag(2, Varint).uint32(status);
  writer.tag(3, LengthDelimited).bytes(message);
  writer.tag(4, LengthDelimited).bytes(errorDetail);
  writer.join();
}

/** Writes the other fields of a CarryResponse. */
export function writeClock(writer: BinaryWriter, clockMs: number): void {
  writer.tag(3, Bit64).double(clockMs);
}

/** The context in a frame. */
export function contextOfCall(call: Call): CallContext {
  return {
    correlationId: call.correlationId,
    operation: call.operation,
    projectClient:
      call.projectClientId === "" ? null : { id: call.projectClientId, environment: call.projectEnvironment },
    idempotency:
      call.idempotencyKey === "" ? null : { key: call.idempotencyKey, fingerprint: call.idempotencyFingerprint },
    ...(call.traceparent === "" ? {} : { traceparent: call.traceparent }),
  };
}

/** A metadata value that is not part of the context. */
export function metadataOfCall(call: Call, name: string): string | undefined {
  const start = `${name}: `;
  return call.metadata.find((line) => line.startsWith(start))?.slice(start.length);
}

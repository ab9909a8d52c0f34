import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type Call, MuxService } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import type { CallRequest } from "./pending-call.ts";
import { methodPath } from "./service-definition.ts";

/** The method that carries calls; proto/projectintegration/mux/v1. */
export const carryPath = methodPath(MuxService.method.carry);

/** Most calls or answers of one message, and most bytes of it unless a single one has more. */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/** Largest message that is carried; larger ones would hold up the others and are called by themselves. */
export const carriedBytesMax = 64 * 1024;

/** What a carried call is answered with. */
export type CarriedReply = {
  /** gRPC status code; 0 is success. */
  readonly status: number;
  readonly message: Uint8Array<ArrayBuffer>;
  readonly errorDetail: Uint8Array<ArrayBuffer>;
};

const { Bit64, LengthDelimited, Varint } = WireType;

/**
 * Writes one call of a CarryRequest. The library's own writer is kept from message to message: `toBinary` begins with 128 bytes each time
 * and doubles them, which was a third of a call's cost on both sides. An empty text stands for what there is not.
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

/** Writes the news that a call is no longer wanted. */
export function writeCancellation(writer: BinaryWriter, id: number): void {
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).uint32(id);
  writer.tag(13, Varint).bool(true);
  writer.join();
}

/** Writes one answer of a CarryResponse. */
export function writeAnswer(writer: BinaryWriter, id: number, { status, message, errorDetail }: CarriedReply): void {
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).uint32(id);
  writer.tag(2, Varint).uint32(status);
  writer.tag(3, LengthDelimited).bytes(message);
  writer.tag(4, LengthDelimited).bytes(errorDetail);
  writer.join();
}

/** Writes what a CarryResponse says besides its answers. */
export function writeClock(writer: BinaryWriter, clockMs: number): void {
  writer.tag(3, Bit64).double(clockMs);
}

/** The context a caller wrote. */
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

/** A metadata value beyond the context. */
export function metadataOfCall(call: Call, name: string): string | undefined {
  const start = `${name}: `;
  return call.metadata.find((line) => line.startsWith(start))?.slice(start.length);
}

import { create } from "@bufbuild/protobuf";
import { type Call, CallSchema, MuxService } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import { methodPath } from "./service-definition.ts";

/** The method that carries calls; proto/projectintegration/mux/v1. */
export const carryPath = methodPath(MuxService.method.carry);

/** Most calls or answers of one message, and most bytes of it unless a single one has more. */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/** Largest message that is carried; larger ones would hold up the others and are called by themselves. */
export const carriedBytesMax = 64 * 1024;

/** What a caller writes of a call. An empty text stands for what there is not. */
export function carriedCall(
  id: number,
  path: string,
  message: Uint8Array,
  { context, metadata }: { readonly context: CallContext; readonly metadata: Readonly<Record<string, string>> },
): Call {
  const call = create(CallSchema);
  call.id = id;
  call.path = path;
  call.message = message as Call["message"];
  call.correlationId = context.correlationId;
  call.operation = context.operation;
  call.projectClientId = context.projectClient?.id ?? "";
  call.projectEnvironment = context.projectClient?.environment ?? "";
  call.idempotencyKey = context.idempotency?.key ?? "";
  call.idempotencyFingerprint = context.idempotency?.fingerprint ?? "";
  call.traceparent = context.traceparent ?? "";
  for (const name in metadata) call.metadata.push(`${name}: ${metadata[name]}`);
  return call;
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

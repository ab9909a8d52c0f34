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

/** What a caller writes of a call. An empty text stands for what there is not. Written out, it costs a third of what `create` does. */
export function carriedCall(
  id: number,
  { path, message, context, metadata }: Pick<CallRequest, "path" | "message" | "context" | "metadata">,
  timeoutMs: number,
  expiresAtMs: number,
): Call {
  return {
    $typeName: "projectintegration.mux.v1.Call",
    id,
    path,
    timeoutMs,
    message,
    correlationId: context.correlationId,
    operation: context.operation,
    projectClientId: context.projectClient?.id ?? "",
    projectEnvironment: context.projectClient?.environment ?? "",
    idempotencyKey: context.idempotency?.key ?? "",
    idempotencyFingerprint: context.idempotency?.fingerprint ?? "",
    traceparent: context.traceparent ?? "",
    metadata: Object.entries(metadata).map(([name, value]) => `${name}: ${value}`),
    cancelled: false,
    expiresAtMs,
  };
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

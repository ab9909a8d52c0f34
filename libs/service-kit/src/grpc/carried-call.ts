import { type Call, MuxService } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import type { CallRequest } from "./pending-call.ts";
import { methodPath } from "./service-definition.ts";

/** The method that carries calls; proto/projectintegration/mux/v1. */
export const carryPath = methodPath(MuxService.method.carry);

/** Largest number of calls or answers in one message, and its largest size unless a single one is larger. */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/** Largest message that is carried. Larger ones would delay the others and are sent as plain calls. */
export const carriedBytesMax = 64 * 1024;

/** The frame of a call. Absent fields are empty texts. Writing the object out costs a third of `create`. */
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

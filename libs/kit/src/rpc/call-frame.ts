import { create } from "@bufbuild/protobuf";
import { type Answer, AnswerSchema, type Call, CallSchema, MuxService } from "@platform/proto/mux/v1/mux";
import type { CallContext } from "./call-context.ts";
import type { OutgoingCall } from "./outgoing-call.ts";
import { methodPath } from "./service-definition.ts";

/** Path of the method that carries calls on a stream; see proto/projectintegration/mux/v1. */
export const muxPath = methodPath(MuxService.method.carry);

/**
 * Maximum number of calls or responses in one message, and its maximum size in bytes. A single call may exceed the
 * size.
 */
export const batchFramesMax = 256;
export const batchBytesMax = 256 * 1024;

/**
 * Maximum size of a request in a frame, in bytes. Larger requests would delay the others and are sent as calls of their
 * own.
 */
export const framedBytesMax = 64 * 1024;

/**
 * The Map of calls in flight is replaced by a copy after this many calls. V8 links each internal table of a Map to its
 * replacement. Once one of the tables is in the old generation, every later call and its request would be retained
 * until the next full collection.
 */
export const callsOfMapMax = 1_024;

/** Outcome of a call that arrived in a frame. `status` is a gRPC status code; 0 is success. */
export type Reply = Pick<Answer, "status" | "message" | "errorDetail">;

/**
 * Creates the frame of a call. An empty text represents an absent value.
 * @param timeoutMs milliseconds until the deadline
 * @param expiresAtMs the deadline by the service's own clock; 0 if that clock is not known
 */
export function callFrame(
  id: number,
  { path, message, context, metadata }: Pick<OutgoingCall, "path" | "message" | "context" | "metadata">,
  timeoutMs: number,
  expiresAtMs: number,
): Call {
  const { correlationId, operation, projectClient, idempotency, traceparent } = context;
  return create(CallSchema, {
    id,
    path,
    timeoutMs,
    message,
    correlationId,
    operation,
    projectClientId: projectClient?.id ?? "",
    projectEnvironment: projectClient?.environment ?? "",
    idempotencyKey: idempotency?.key ?? "",
    idempotencyFingerprint: idempotency?.fingerprint ?? "",
    traceparent: traceparent ?? "",
    metadata: Object.entries(metadata).map(([name, value]) => `${name}: ${value}`),
    expiresAtMs,
  });
}

/** Creates the frame that cancels a call. */
export function cancellationFrame(id: number): Call {
  return create(CallSchema, { id, cancelled: true });
}

/** Creates the frame of a response. */
export function answerFrame(id: number, { status, message, errorDetail }: Reply): Answer {
  return create(AnswerSchema, { id, status, message, errorDetail });
}

/** Reads the context from a frame. */
export function contextOfFrame(frame: Call): CallContext {
  const { projectClientId, idempotencyKey, traceparent } = frame;
  return {
    correlationId: frame.correlationId,
    operation: frame.operation,
    projectClient: projectClientId === "" ? null : { id: projectClientId, environment: frame.projectEnvironment },
    idempotency: idempotencyKey === "" ? null : { key: idempotencyKey, fingerprint: frame.idempotencyFingerprint },
    ...(traceparent === "" ? {} : { traceparent }),
  };
}

/** Returns a metadata value that is not part of the context. */
export function metadataOfFrame(frame: Call, name: string): string | undefined {
  const start = `${name}: `;
  return frame.metadata.find((line) => line.startsWith(start))?.slice(start.length);
}

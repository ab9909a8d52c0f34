import { Metadata } from "@grpc/grpc-js";
import { defined } from "../process/defined.ts";

/** Context that is passed on with a call from hop to hop, as metadata. */
export type CallContext = {
  /** UUID of the request, or of the run of a job, that caused the call. */
  readonly correlationId: string;
  /** Id of the operation or job, for logs and metrics, for example `events.publishDomainEvent`. */
  readonly operation: string;
  /** The authenticated Project Client, or null for calls without one. */
  readonly projectClient: {
    readonly id: string;
    readonly environment: string;
  } | null;
  /** The caller's Idempotency-Key and the SHA-256 (hex) of the canonical request, or null. */
  readonly idempotency: {
    readonly key: string;
    readonly fingerprint: string;
  } | null;
  /** W3C trace context, when tracing is on. */
  readonly traceparent?: string;
};

const names = {
  correlationId: "x-correlation-id",
  operation: "x-operation",
  clientId: "x-project-client-id",
  environment: "x-project-environment",
  idempotencyKey: "x-idempotency-key",
  fingerprint: "x-idempotency-fingerprint",
  traceparent: "traceparent",
} as const;

/** Writes a context into gRPC metadata. */
export function contextToMetadata(context: CallContext): Metadata {
  const metadata = new Metadata();
  metadata.set(names.correlationId, context.correlationId);
  metadata.set(names.operation, context.operation);
  if (context.projectClient !== null) {
    metadata.set(names.clientId, context.projectClient.id);
    metadata.set(names.environment, context.projectClient.environment);
  }
  if (context.idempotency !== null) {
    metadata.set(names.idempotencyKey, context.idempotency.key);
    metadata.set(names.fingerprint, context.idempotency.fingerprint);
  }
  if (context.traceparent !== undefined) metadata.set(names.traceparent, context.traceparent);
  return metadata;
}

/**
 * Reads a context from gRPC metadata. Absent fields become null or empty, so that calls of older versions can be read.
 */
export function contextFromMetadata(metadata: Metadata): CallContext {
  const text = (name: string): string | null => {
    const value = metadata.get(name)[0];
    return typeof value === "string" ? value : null;
  };
  const clientId = text(names.clientId);
  const key = text(names.idempotencyKey);
  const fingerprint = text(names.fingerprint);
  const traceparent = text(names.traceparent);
  return {
    correlationId: text(names.correlationId) ?? "",
    operation: text(names.operation) ?? "",
    projectClient: clientId === null ? null : { id: clientId, environment: text(names.environment) ?? "" },
    idempotency: key === null || fingerprint === null ? null : { key, fingerprint },
    ...defined({ traceparent }),
  };
}

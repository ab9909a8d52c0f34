import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ServiceError as GrpcError, Metadata, status } from "@grpc/grpc-js";
import { ErrorDetailSchema } from "@platform/proto/errors/v1/error_detail";
import { deadlineExceeded, dependencyUnavailable, ServiceError } from "../errors/service-error.ts";

const detailKey = "platform-error-bin";

/** The gRPC status a code travels under; only UNAVAILABLE and DEADLINE_EXCEEDED mean something to a client that does not read the detail. */
export function grpcStatusOf(code: string): status {
  switch (code) {
    case "unauthenticated":
      return status.UNAUTHENTICATED;
    case "dependency_unavailable":
      return status.UNAVAILABLE;
    case "deadline_exceeded":
      return status.DEADLINE_EXCEEDED;
    case "internal_error":
      return status.INTERNAL;
    default:
      return status.FAILED_PRECONDITION;
  }
}

/** Encodes a ServiceError as bytes of projectintegration.errors.v1.ErrorDetail. */
export function encodeErrorDetail(error: ServiceError): Uint8Array {
  return toBinary(
    ErrorDetailSchema,
    create(ErrorDetailSchema, {
      code: error.code,
      message: error.message,
      detailsJson: Object.keys(error.details).length === 0 ? "" : JSON.stringify(error.details),
      retryAfterSeconds: error.retryAfterSeconds ?? 0,
    }),
  );
}

/** Decodes bytes of projectintegration.errors.v1.ErrorDetail. Throws when they are not such bytes. */
export function decodeErrorDetail(bytes: Uint8Array, cause?: unknown): ServiceError {
  const detail = fromBinary(ErrorDetailSchema, bytes);
  return new ServiceError(detail.code, detail.message, {
    ...(detail.detailsJson === "" ? {} : { details: JSON.parse(detail.detailsJson) as Record<string, unknown> }),
    ...(detail.retryAfterSeconds === 0 ? {} : { retryAfterSeconds: detail.retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** What a gRPC server answers for a ServiceError: the status, the message and the detail in trailing metadata. */
export function toGrpcStatus(error: ServiceError): {
  code: status;
  details: string;
  metadata: Metadata;
} {
  const metadata = new Metadata();
  metadata.set(detailKey, Buffer.from(encodeErrorDetail(error)));
  return { code: grpcStatusOf(error.code), details: error.code, metadata };
}

/** Trailing metadata that holds an encoded detail. */
export function errorDetailMetadata(bytes: Buffer): Metadata {
  const metadata = new Metadata();
  if (bytes.byteLength > 0) metadata.set(detailKey, bytes);
  return metadata;
}

/**
 * Turns what a gRPC call failed with into a ServiceError; a failure without a detail is an unavailable, late or broken callee.
 * @param wasSent false when no try of the call left this process
 */
export function fromGrpcError(error: unknown, wasSent?: boolean): ServiceError {
  if (error instanceof ServiceError) return error;
  const grpcError = error as Partial<GrpcError>;
  const bytes = grpcError.metadata?.get(detailKey)[0];
  if (bytes instanceof Buffer) return decodeErrorDetail(bytes, error);
  switch (grpcError.code) {
    case status.UNAVAILABLE:
    case status.RESOURCE_EXHAUSTED:
      return dependencyUnavailable(error, wasSent);
    case status.CANCELLED:
    case status.DEADLINE_EXCEEDED:
      return deadlineExceeded(error, wasSent);
    default:
      return new ServiceError("internal_error", "Something failed on our side.", { cause: error });
  }
}

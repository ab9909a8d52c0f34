import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ServiceError as GrpcError, Metadata, status } from "@grpc/grpc-js";
import { ErrorDetailSchema } from "@platform/proto/errors/v1/error_detail";
import { defined } from "../process/defined.ts";
import { boundedDetails, messageLengthMax, shortened } from "./bounded-details.ts";
import { deadlineExceeded, dependencyUnavailable, ServiceError } from "./service-error.ts";

const detailKey = "platform-error-bin";

/**
 * Returns the gRPC status of an error code. Clients that do not read the detail recognize only UNAVAILABLE and
 * DEADLINE_EXCEEDED.
 */
export function grpcStatusOf(code: string): status {
  switch (code) {
    case "unauthenticated":
      return status.UNAUTHENTICATED;
    case "permission_denied":
      return status.PERMISSION_DENIED;
    case "dependency_unavailable":
      return status.UNAVAILABLE;
    case "deadline_exceeded":
      return status.DEADLINE_EXCEEDED;
    case "too_many_concurrent_calls":
      return status.RESOURCE_EXHAUSTED;
    case "internal_error":
      return status.INTERNAL;
    default:
      return status.FAILED_PRECONDITION;
  }
}

/**
 * Encodes a ServiceError as bytes of projectintegration.errors.v1.ErrorDetail. The bytes always fit into a header, even
 * if the error contains long names from a caller's request.
 */
export function encodeErrorDetail(error: ServiceError): Uint8Array {
  return toBinary(
    ErrorDetailSchema,
    create(ErrorDetailSchema, {
      code: error.code,
      message: shortened(error.message, messageLengthMax),
      detailsJson: boundedDetails(error.details),
      retryAfterSeconds: error.retryAfterSeconds ?? 0,
      notBegun: error.begun === false,
    }),
  );
}

/** Decodes bytes of projectintegration.errors.v1.ErrorDetail. Throws if the bytes are invalid. */
export function decodeErrorDetail(bytes: Uint8Array, cause?: unknown, mayHaveBegun = false): ServiceError {
  const detail = fromBinary(ErrorDetailSchema, bytes);
  return new ServiceError(detail.code, detail.message, {
    ...(detail.detailsJson === "" ? {} : { details: JSON.parse(detail.detailsJson) as Record<string, unknown> }),
    ...(detail.retryAfterSeconds === 0 ? {} : { retryAfterSeconds: detail.retryAfterSeconds }),
    ...(detail.notBegun && !mayHaveBegun ? { begun: false as const } : {}),
    ...defined({ cause }),
  });
}

/** Returns the gRPC response to a ServiceError: the status, the message, and the detail in trailing metadata. */
export function toGrpcStatus(error: ServiceError): {
  code: status;
  details: string;
  metadata: Metadata;
} {
  const metadata = new Metadata();
  metadata.set(detailKey, Buffer.from(encodeErrorDetail(error)));
  return { code: grpcStatusOf(error.code), details: error.code, metadata };
}

/**
 * A failed attempt: the status of grpc-js, the bytes of its ErrorDetail if any, and whether the call may have reached
 * the service.
 */
export type AttemptFailure = Error & { code: status; details: string; errorDetail?: Uint8Array; wasSent: boolean };

export function attemptFailure(
  code: status,
  details: string,
  wasSent: boolean,
  errorDetail?: Uint8Array,
): AttemptFailure {
  const detail = errorDetail === undefined || errorDetail.byteLength === 0 ? {} : { errorDetail };
  return Object.assign(new Error(details), { code, details, wasSent, ...detail });
}

/**
 * Returns whether the call was rejected because the server closes the connection. Such a call was not processed (RFC
 * 9113, 8.7).
 */
export function isRefusedStream({ details }: Partial<AttemptFailure>): boolean {
  return /Stream refused by server|NGHTTP2_REFUSED_STREAM/.test(details ?? "");
}

/**
 * Returns whether the stream ended without a status, or its socket failed. In both cases the server or the connection
 * is lost: a server that closes a connection because pings get no reply ends its streams first. grpc-js reports this as
 * INTERNAL, unless it has noticed the closed connection before.
 */
function isLostStream({ code, details }: Pick<GrpcError, "code" | "details">): boolean {
  const isReset = /^Received RST_STREAM with code (?:0 |2 triggered by internal client error: (?:read|write) E)/;
  return code === status.INTERNAL && isReset.test(details);
}

/**
 * Converts a failure that grpc-js itself reports to an AttemptFailure. A lost connection always becomes UNAVAILABLE,
 * although grpc-js may report it differently.
 */
export function fromGrpcFailure(error: GrpcError): AttemptFailure {
  const { details, metadata } = error;
  const code = isLostStream(error) ? status.UNAVAILABLE : error.code;
  const detail = metadata?.get(detailKey)[0];
  return attemptFailure(code, details, !isRefusedStream({ details }), detail instanceof Buffer ? detail : undefined);
}

/**
 * Converts a failed attempt to a ServiceError. A failure without a detail means that the service is unavailable, late
 * or broken.
 * @param rpc full name of the method, which becomes part of the cause, because the place that logs the failure knows
 * nothing else about the call
 * @param mayHaveBegun true if an earlier attempt of the same call may have been executed, regardless of this attempt's
 * failure
 */
export function fromAttemptFailure(error: unknown, rpc: string, mayHaveBegun = false): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code = status.UNKNOWN, details = "", errorDetail, wasSent } = error as Partial<AttemptFailure>;
  const causeOf = (text: string): Error => new Error(`${rpc} ${text}`, { cause: error });
  if (errorDetail !== undefined) {
    const answered = decodeErrorDetail(errorDetail);
    if (!isOurFault(answered)) return answered;
    return decodeErrorDetail(errorDetail, causeOf(`answered ${answered.code}`), mayHaveBegun);
  }
  const cause = causeOf(`failed with ${status[code] ?? code}${details === "" ? "" : `: ${details}`}`);
  const begun = wasSent === false && !mayHaveBegun ? { begun: false as const } : {};
  const named = (like: ServiceError): ServiceError =>
    new ServiceError(like.code, like.message, {
      ...defined({ retryAfterSeconds: like.retryAfterSeconds }),
      ...begun,
      cause,
    });
  switch (code) {
    case status.UNAVAILABLE:
    case status.RESOURCE_EXHAUSTED:
      return named(dependencyUnavailable());
    case status.CANCELLED:
    case status.DEADLINE_EXCEEDED:
      return named(deadlineExceeded());
    default:
      return new ServiceError("internal_error", "Something failed on our side.", { cause });
  }
}

/**
 * Returns whether the error is a failure of the platform, which is logged. Rejections of calls are not logged, because
 * there may be many.
 */
function isOurFault({ code }: ServiceError): boolean {
  return code === "dependency_unavailable" || code === "internal_error" || code === "deadline_exceeded";
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import { sendServiceError } from "@platform/service-kit/http/send-error";
import { answeredFor } from "@platform/service-kit/mongo/store-failure";
import type { Logger } from "@platform/service-kit/process/logger";
import { hashToken } from "@platform/service-kit/secrets/token";
import type { HashThread } from "../bytes/hash-thread.ts";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import { type FileObject, isFileContentType } from "../domain/file-object.ts";
import type { UploadPace } from "../domain/limits.ts";
import type { BlobStore, BlobWriter } from "../store/blobs/blob-store.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { OwedWorkStore } from "../store/owed-work.ts";
import { discardBody } from "./discard-body.ts";
import { receiveBody, SenderGone, uploadTooLarge } from "./receive-body.ts";
import type { UploadMetrics } from "./upload-metrics.ts";

export type UploadFileDependencies = {
  readonly files: FileObjectStore;
  readonly owedWork: OwedWorkStore;
  readonly blobs: BlobStore;
  readonly pace: UploadPace;
  readonly hashThread: HashThread;
  readonly leaseMs: number;
  readonly logger: Logger;
  readonly metrics: UploadMetrics;
  /** Told of every File Object that entered quarantine, so that its classification starts at once. */
  readonly onQuarantined: () => void;
};

/**
 * PUT /file-uploads/{uploadToken}: claims the token, then reads the body. Whatever happens after the claim, the token is used up; only
 * when the bytes are durably stored, counted and proven does the File Object become quarantined.
 */
export async function uploadFile(
  request: IncomingMessage,
  response: ServerResponse,
  uploadToken: string,
  dependencies: UploadFileDependencies,
): Promise<void> {
  const { files, logger, metrics } = dependencies;
  try {
    requireTokenShape(uploadToken);
    const file = await files.claimUpload(hashToken(uploadToken), dependencies.leaseMs);
    if (file === null) {
      throw new ServiceError(
        "upload_token_invalid",
        "The upload token is wrong, used or has expired; obtain a new grant.",
      );
    }
    const sizeBytes = await receiveOrFail(request, response, file, dependencies);
    dependencies.onQuarantined();
    metrics.finished("accepted", sizeBytes);
    const body = JSON.stringify({ data: { file_object_id: file.id } });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
    // The answer does not wait for Redis; the sweeper gives back what could not be given back now.
    await dependencies.owedWork.pay(file.projectClientId, file.id).catch((error: unknown) => {
      logger.warn({ err: error, resource_id: file.id }, "quota not settled yet");
    });
  } catch (error) {
    if (error instanceof SenderGone) return;
    if (!isServiceError(error)) logger.error({ err: error, route: "/file-uploads/{uploadToken}" }, "upload failed");
    metrics.finished(answeredFor(error).code, 0);
    sendServiceError(response, error);
    discardBody(request);
  }
}

/** Receives the body; on any failure leaves neither bytes nor reservation behind and throws. */
async function receiveOrFail(
  request: IncomingMessage,
  response: ServerResponse,
  file: FileObject,
  { files, owedWork, blobs, pace, hashThread, leaseMs, logger }: UploadFileDependencies,
): Promise<number> {
  const uploadId = file.uploadId ?? "";
  const key = fileObjectBlobKey(file.sha256, file.id);
  const renewal = setInterval(() => {
    files.renewUpload(file.projectClientId, file.id, uploadId, leaseMs).catch((error: unknown) => {
      logger.warn({ err: error, resource_id: file.id }, "upload lease not renewed");
    });
  }, leaseMs / 3);
  let writer: BlobWriter | null = null;
  try {
    requireAcceptableHeaders(request, file);
    // Only now may the sender begin (RFC 9110 section 10.1.1): a refused token costs it no upload.
    if (request.headers.expect !== undefined) response.writeContinue();
    writer = await blobs.createWriter(key, uploadId);
    const received = await receiveBody(request, writer, { maximumBytes: file.maximumBytes, pace, hashThread });
    if (received.sha256 !== file.sha256) {
      throw new ServiceError("upload_checksum_mismatch", "The uploaded bytes do not have the declared SHA-256.");
    }
    await writer.commit();
    if (!(await files.finishUpload(file, received.sizeBytes))) {
      // The sweeper failed this upload while the process was paused, and may have deleted before the bytes were in place.
      await blobs.delete(key, uploadId);
      throw new Error("the upload was given up while it was running");
    }
    return received.sizeBytes;
  } catch (error) {
    await writer?.abort();
    const failure = isServiceError(error) ? error.code : error instanceof SenderGone ? "sender_gone" : "internal_error";
    await files.failUpload(file, failure).catch((cause: unknown) => {
      logger.warn({ err: cause, resource_id: file.id }, "failed upload left to the sweeper");
    });
    await owedWork.pay(file.projectClientId, file.id).catch((cause: unknown) => {
      logger.warn({ err: cause, resource_id: file.id }, "failed upload left to the sweeper");
    });
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

function requireTokenShape(uploadToken: string): void {
  if (/^[0-9a-f]{64}$/.test(uploadToken)) return;
  throw new ServiceError("contract_violation", "The request violates the public contract.", {
    details: {
      violations: [
        { path: "path:uploadToken", code: "invalid_format", message: "must be 64 lower-case hexadecimal characters" },
      ],
    },
  });
}

/** What can be refused before the first byte. */
function requireAcceptableHeaders(request: IncomingMessage, file: FileObject): void {
  const { headers } = request;
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the bytes as they are, without a Content-Encoding.");
  }
  const contentType = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (contentType !== "application/octet-stream" && contentType !== file.contentType) {
    if (!isFileContentType(contentType)) {
      throw new ServiceError("unsupported_media_type", "Send the expected content type or application/octet-stream.");
    }
    throw new ServiceError("upload_content_type_mismatch", "The upload's content type is not the declared one.", {
      details: { expected_content_type: file.contentType },
    });
  }
  if (Number(headers["content-length"] ?? 0) > file.maximumBytes) throw uploadTooLarge(file.maximumBytes);
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { hashToken, newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import { answeredFor } from "@platform/kit/store/documents";
import { sendServiceError } from "@platform/kit/web/http";
import type { HashThread } from "../bytes/hash-thread.ts";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import { type FileObject, isFileContentType } from "../domain/file-object.ts";
import type { UploadPace } from "../domain/limits.ts";
import type { BlobStore, BlobWriter } from "../store/blobs/blob-store.ts";
import type { CompensationStore } from "../store/compensations.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import { discardBody } from "./discard-body.ts";
import { receiveBody, SenderGone, uploadTooLarge } from "./receive-body.ts";
import type { UploadBudget } from "./upload-budget.ts";
import type { UploadMetrics } from "./upload-metrics.ts";

export type UploadFileDependencies = {
  readonly files: FileObjectStore;
  readonly compensations: CompensationStore;
  readonly blobs: BlobStore;
  readonly pace: UploadPace;
  readonly hashThread: HashThread;
  readonly leaseMs: number;
  readonly budget: UploadBudget;
  /** Returns whether this process is stopping and therefore aborts transfers. */
  readonly isStopping: () => boolean;
  readonly logger: Logger;
  readonly metrics: UploadMetrics;
  /** Called for every File Object that entered quarantine, so that its classification starts immediately. */
  readonly onQuarantined: () => void;
};

/**
 * Header with the id of one attempt of an upload. The gateway sets it. If the sender disconnects, the gateway reports
 * this with the same id.
 */
const uploadIdHeader = "x-platform-upload-id";
/**
 * How long the gateway has to report that a sender disconnected, in milliseconds. Without a report in this time, the
 * platform itself interrupted the upload.
 */
const reportMs = 2_000;
/** How long a second sender waits for the outcome of the first one, in milliseconds. */
const firstTryMs = 1_500;

/**
 * Handles PUT /file-uploads/{uploadToken}: reserves memory, claims the token, and then reads the body. The token is
 * consumed even if the upload is rejected or the sender disconnects, but not if the platform interrupts the upload.
 * The File Object becomes quarantined once the bytes are durable, counted and verified.
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
    const releaseMemory = takeMemory(request, dependencies.budget);
    const received = await claimAndReceive(request, response, uploadToken, dependencies).finally(releaseMemory);
    if (received === null) throw await refusalOfToken(hashToken(uploadToken), files);
    const { file, sizeBytes } = received;
    dependencies.onQuarantined();
    metrics.finished("accepted", sizeBytes);
    const body = JSON.stringify({ data: { file_object_id: file.id } });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
    // The response does not wait for Redis; the sweeper repeats a failed release.
    await dependencies.compensations.pay(file.projectClientId, file.id).catch((error: unknown) => {
      logger.warn({ err: error, resource_id: file.id }, "the quota could not be settled yet");
    });
  } catch (error) {
    if (error instanceof SenderGone) return;
    if (!isServiceError(error)) logger.error({ err: error, route: "/file-uploads/{uploadToken}" }, "an upload failed");
    metrics.finished(answeredFor(error).code, 0);
    sendServiceError(response, error);
    discardBody(request);
  }
}

/**
 * Handles DELETE /file-uploads/{uploadToken}, with which the gateway reports that the sender of an attempt
 * disconnected.
 */
export async function abortUpload(
  request: IncomingMessage,
  response: ServerResponse,
  uploadToken: string,
  { files, compensations }: Pick<UploadFileDependencies, "files" | "compensations">,
): Promise<void> {
  requireTokenShape(uploadToken);
  const file = await files.failAbortedUpload(hashToken(uploadToken), uploadIdOf(request));
  if (file !== null) await compensations.pay(file.projectClientId, file.id);
  response.writeHead(204).end();
}

/** Claims the token and receives the body. Returns null if the token cannot be claimed. */
async function claimAndReceive(
  request: IncomingMessage,
  response: ServerResponse,
  uploadToken: string,
  dependencies: UploadFileDependencies,
): Promise<{ file: FileObject; sizeBytes: number } | null> {
  const { files, leaseMs } = dependencies;
  const file = await files.claimUpload(hashToken(uploadToken), uploadIdOf(request), leaseMs);
  return file === null ? null : { file, sizeBytes: await receiveOrFail(request, response, file, dependencies) };
}

/**
 * Returns the reason why a token could not be claimed. If an attempt is running, the token becomes claimable again if
 * that attempt is interrupted. Otherwise it is wrong, consumed or expired.
 */
async function refusalOfToken(uploadTokenHash: string, files: FileObjectStore): Promise<ServiceError> {
  const until = performance.now() + firstTryMs;
  let state = await files.findTokenState(uploadTokenHash);
  while (state === "uploading" && performance.now() < until) {
    await delay(100);
    state = await files.findTokenState(uploadTokenHash);
  }
  if (state === "useless") {
    const message = "The upload token is wrong, was used before or has expired; obtain a new grant.";
    return new ServiceError("upload_token_invalid", message);
  }
  const message = "An upload with this token may still be running; try again shortly.";
  return new ServiceError("dependency_unavailable", message, { retryAfterSeconds: 1, begun: false });
}

/**
 * Receives the body. If the upload is rejected, neither bytes nor a reservation remain. If the platform fails, no
 * bytes remain and the grant can be used again.
 */
async function receiveOrFail(
  request: IncomingMessage,
  response: ServerResponse,
  file: FileObject,
  dependencies: UploadFileDependencies,
): Promise<number> {
  const { files, blobs, pace, hashThread, leaseMs, logger } = dependencies;
  const uploadId = file.uploadId ?? "";
  const renewal = setInterval(() => {
    files.renewUpload(file.projectClientId, file.id, uploadId, leaseMs).catch((error: unknown) => {
      logger.warn({ err: error, resource_id: file.id }, "the lease of an upload could not be renewed");
    });
  }, leaseMs / 3);
  let writer: BlobWriter | null = null;
  try {
    requireAcceptableHeaders(request, file);
    // The sender may start only now (RFC 9110, section 10.1.1), so that it sends no body for a token that is
    // rejected.
    if (request.headers.expect !== undefined) response.writeContinue();
    writer = await blobs.createWriter(fileObjectBlobKey(file.sha256, file.id), uploadId);
    const received = await receiveBody(request, writer, { maximumBytes: file.maximumBytes, pace, hashThread });
    if (received.sha256 !== file.sha256) {
      throw new ServiceError(
        "upload_checksum_mismatch",
        "The SHA-256 of the uploaded bytes differs from the declared one.",
      );
    }
    await writer.commit();
    // The bytes are kept: they are the declared ones, and another attempt may have written them.
    if (!(await files.finishUpload(file, received.sizeBytes)))
      throw new Error("the upload was released while it was running");
    return received.sizeBytes;
  } catch (error) {
    clearInterval(renewal);
    await writer?.abort();
    await settleFailure(file, error, dependencies).catch((cause: unknown) => {
      logger.warn(
        { err: cause, resource_id: file.id },
        "a failed upload could not be cleaned up; the sweeper tries again",
      );
    });
    if (isServiceError(error) || error instanceof SenderGone) throw error;
    logger.error({ err: error, resource_id: file.id }, "an upload failed inside the platform");
    throw dependencyUnavailable(error);
  } finally {
    clearInterval(renewal);
  }
}

/** Sets the state of the grant after an upload that failed. */
async function settleFailure(
  file: FileObject,
  error: unknown,
  { files, compensations, isStopping }: UploadFileDependencies,
): Promise<void> {
  if (isServiceError(error)) {
    await files.failUpload(file, error.code);
    await compensations.pay(file.projectClientId, file.id);
  } else if (error instanceof SenderGone && !isStopping()) {
    await files.breakUpload(file, reportMs);
  } else {
    await files.releaseUpload(file);
  }
}

function uploadIdOf(request: IncomingMessage): string {
  const { [uploadIdHeader]: given } = request.headers;
  return typeof given === "string" && /^[0-9a-f-]{36}$/.test(given) ? given : newId();
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

/**
 * Reserves memory for the upload. This happens before the token is claimed, so that a request that is rejected here
 * can be repeated.
 * @throws ServiceError dependency_unavailable
 */
function takeMemory(request: IncomingMessage, budget: UploadBudget): () => void {
  const { "content-length": length } = request.headers;
  const release = budget.take(length === undefined ? null : Number(length));
  if (release !== null) return release;
  throw new ServiceError("dependency_unavailable", "Too many uploads are in progress; try again shortly.", {
    retryAfterSeconds: 1,
    begun: false,
  });
}

/** Checks everything that can be checked without the body. */
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
    throw new ServiceError(
      "upload_content_type_mismatch",
      "The content type of the upload differs from the declared one.",
      {
        details: { expected_content_type: file.contentType },
      },
    );
  }
  if (Number(headers["content-length"] ?? 0) > file.maximumBytes) throw uploadTooLarge(file.maximumBytes);
}

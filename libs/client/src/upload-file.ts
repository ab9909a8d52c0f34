import { digestOf } from "./digest.ts";
import { PlatformError } from "./errors.ts";
import type { CallFunction, CallOptions } from "./operation-types.ts";
import type { WaitOptions } from "./poll.ts";
import type { RetryPolicy } from "./retry.ts";
import { partsOf } from "./streams.ts";
import {
  awaitVerdict,
  type FileContentType,
  type FileObject,
  sendByGrants,
  type UploadGrants,
  type UploadVerdict,
} from "./upload-by-grants.ts";

export type { FileContentType, UploadVerdict } from "./upload-by-grants.ts";

/**
 * Sources of a file. A stream is read completely first, because its digest is needed before its bytes; a Blob is read
 * in parts.
 */
export type FileSource = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type UploadOptions = WaitOptions &
  Pick<CallOptions, "correlationId"> & {
    readonly contentType: FileContentType;
  };

/** Uploads a file and waits for the verdict of its inspection. */
export async function uploadFile(
  call: CallFunction,
  source: FileSource,
  options: UploadOptions,
  wait: RetryPolicy["wait"],
): Promise<UploadVerdict> {
  const blob = await blobOf(source);
  const { contentType, signal, correlationId } = options;
  const around = {
    ...(signal === undefined ? {} : { signal }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  const grants: UploadGrants = {
    create: async (body) => (await call("files.createUploadGrant", { body, ...around })).data,
    complete: (fileObjectId) => completed(call, fileObjectId, around),
  };
  const request = {
    expected_sha256: await digestOf(blob),
    expected_content_type: contentType,
    maximum_bytes: Math.max(1, blob.size),
  };
  const put = (uploadToken: string) =>
    call("files.uploadFile", { params: { uploadToken }, body: blob, contentType, ...around });
  const fileObjectId = await sendByGrants(request, { grants, put, signal, wait });
  return awaitVerdict(grants, fileObjectId, options);
}

async function completed(call: CallFunction, fileObjectId: string, around: CallOptions): Promise<FileObject | null> {
  try {
    return (await call("files.completeFileObject", { params: { fileObjectId }, ...around })).data;
  } catch (error) {
    if (error instanceof PlatformError && error.code === "file_object_not_uploaded") return null;
    throw error;
  }
}

async function blobOf(source: FileSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof Uint8Array) return new Blob([source as Uint8Array<ArrayBuffer>]);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const all = "getReader" in source ? partsOf(source) : source;
  for await (const part of all) parts.push(part as Uint8Array<ArrayBuffer>);
  return new Blob(parts);
}

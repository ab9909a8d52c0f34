import type { CallFunction, CallOptions } from "./operation-types.js";
import type { WaitOptions } from "./poll.js";
import type { RetryPolicy } from "./retry.js";
import { type FileContentType, type UploadVerdict } from "./upload-by-grants.js";
export type { FileContentType, UploadVerdict } from "./upload-by-grants.js";
/**
 * Sources of a file. A stream is read completely first, because its digest is needed before its bytes; a Blob is read
 * in parts.
 */
export type FileSource = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
export type UploadOptions = WaitOptions & Pick<CallOptions, "correlationId"> & {
    readonly contentType: FileContentType;
};
/** Uploads a file and waits for the verdict of its inspection. */
export declare function uploadFile(call: CallFunction, source: FileSource, options: UploadOptions, wait: RetryPolicy["wait"]): Promise<UploadVerdict>;

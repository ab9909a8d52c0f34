import type { CallFunction, CallOptions, RequestOf, ResponseOf } from "./operation-types.js";
import { type WaitOptions } from "./poll.js";
export type FileContentType = RequestOf<"files.createUploadGrant">["body"]["expected_content_type"];
type FileObject = ResponseOf<"files.completeFileObject">["data"];
/** What a file can be given as. A stream is read whole first, because its digest is asked for before its bytes; a Blob is not. */
export type FileSource = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
export type UploadOptions = WaitOptions & Pick<CallOptions, "correlationId"> & {
    readonly contentType: FileContentType;
};
/** Result of an upload. `quarantined`: the inspection took longer than the wait; poll `files.completeFileObject`. */
export type UploadVerdict = {
    readonly status: "available";
    readonly fileObjectId: string;
} | {
    readonly status: "rejected";
    readonly fileObjectId: string;
    readonly rejectionReason: NonNullable<FileObject["rejection_reason"]>;
} | {
    readonly status: "quarantined";
    readonly fileObjectId: string;
};
/** Uploads a file and waits for the verdict of its inspection. */
export declare function uploadFile(call: CallFunction, source: FileSource, options: UploadOptions): Promise<UploadVerdict>;
export {};

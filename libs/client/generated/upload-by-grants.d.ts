import type { RequestOf, ResponseOf } from "./operation-types.js";
import { type WaitOptions } from "./poll.js";
export type UploadRequest = RequestOf<"files.createUploadGrant">["body"];
export type UploadGrant = ResponseOf<"files.createUploadGrant">["data"];
export type FileContentType = UploadRequest["expected_content_type"];
export type FileObject = ResponseOf<"files.completeFileObject">["data"];
/** Requests grants from the platform, and queries their outcome. */
export type UploadGrants = {
    /** `files.createUploadGrant`. */
    create(request: UploadRequest): Promise<Pick<UploadGrant, "file_object_id" | "upload_token">>;
    /** `files.completeFileObject`; null while the bytes have not arrived (`file_object_not_uploaded`). */
    complete(fileObjectId: string): Promise<Pick<FileObject, "status" | "rejection_reason"> | null>;
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
type Sending = {
    readonly grants: UploadGrants;
    /** Sends the bytes by a token: `files.uploadFile`. */
    readonly put: (uploadToken: string) => Promise<unknown>;
    readonly signal: AbortSignal | undefined;
    readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};
/**
 * Sends bytes by as many grants as needed. After a lost response, it queries whether the bytes have arrived before it
 * sends anything again, and requests a new grant only once the old token is consumed: until then the first attempt
 * might still succeed, and the file would be stored and charged twice.
 * @returns the id of the File Object whose bytes have arrived
 */
export declare function sendByGrants(request: UploadRequest, sending: Sending): Promise<string>;
/**
 * Polls the verdict of a file whose bytes have arrived. Polling is safe to repeat, so a timeout or a lost connection
 * does not end it.
 * @throws the error of the last attempt, if no attempt got a response
 */
export declare function awaitVerdict(grants: UploadGrants, fileObjectId: string, options: WaitOptions): Promise<UploadVerdict>;
export {};

import type { WaitOptions } from "../poll.js";
import { type FileContentType, type UploadGrants, type UploadVerdict } from "../upload-by-grants.js";
export { ConnectionError, PlatformError } from "../errors.js";
export type { FileContentType, UploadGrants, UploadRequest, UploadVerdict } from "../upload-by-grants.js";
/** The address for the bytes, and how the page asks its own backend for grants: the Project Credential never reaches the page. */
export type BrowserGrant = UploadGrants & {
    /** URL of the platform, such as `https://platform.example.com`. */
    readonly baseUrl: string;
};
export type BrowserUploadOptions = WaitOptions & {
    /** The type of the bytes; the file's own by default. */
    readonly contentType?: FileContentType;
    /** Called with the number of bytes sent so far. A repeated attempt starts at 0 again. */
    readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
    /** Longest time without a byte sent or received, in milliseconds; 30 seconds by default. The whole upload may take as long as it needs. */
    readonly stallMs?: number;
};
/**
 * Uploads a file from a page of any origin, and waits for the verdict of its inspection. After a lost answer it asks what happened to the upload before it
 * sends anything again, so that no file is stored or charged twice.
 * @throws PlatformError when the platform refuses the file
 * @throws ConnectionError when the connection broke or stalled more often than it was tried again; `gaveUp` says who ended it
 * @throws the reason of `signal` when the page aborts
 */
export declare function uploadFile(file: Blob, grant: BrowserGrant, options?: BrowserUploadOptions): Promise<UploadVerdict>;

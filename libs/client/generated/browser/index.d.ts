import type { WaitOptions } from "../poll.js";
import { type FileContentType, type UploadGrants, type UploadVerdict } from "../upload-by-grants.js";
export { ConnectionError, PlatformError } from "../errors.js";
export type { FileContentType, UploadGrants, UploadRequest, UploadVerdict } from "../upload-by-grants.js";
/**
 * The address for the bytes, and the function by which the page requests grants from its own backend: the Project
 * Credential never reaches the page.
 */
export type BrowserGrant = UploadGrants & {
    /** URL of the platform, such as `https://platform.example.com`. */
    readonly baseUrl: string;
};
export type BrowserUploadOptions = WaitOptions & {
    /** The type of the bytes; the file's own by default. */
    readonly contentType?: FileContentType;
    /** Called with the number of bytes sent so far. A repeated attempt starts at 0 again. */
    readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
    /**
     * Longest time without a byte sent or received, in milliseconds; 30 seconds by default. There is no limit on the
     * whole upload.
     */
    readonly stallMs?: number;
};
/**
 * Uploads a file from a page of any origin, and waits for the verdict of its inspection. After a lost response, it
 * queries the state of the upload before it sends anything again, so that no file is stored or charged twice.
 * @throws PlatformError if the platform rejects the file
 * @throws ConnectionError if the connection broke or stalled and all retries were used up; `gaveUp` tells who ended it
 * @throws the reason of `signal` if the page aborts
 */
export declare function uploadFile(file: Blob, grant: BrowserGrant, options?: BrowserUploadOptions): Promise<UploadVerdict>;

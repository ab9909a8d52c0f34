import { digestOf } from "../digest.ts";
import { ConnectionError, errorOfResponse } from "../errors.ts";
import type { WaitOptions } from "../poll.ts";
import { waitInRealTime } from "../retry.ts";
import { createStallLimit } from "../stall-limit.ts";
import {
  awaitVerdict,
  type FileContentType,
  sendByGrants,
  type UploadGrants,
  type UploadVerdict,
} from "../upload-by-grants.ts";

export { ConnectionError, PlatformError } from "../errors.ts";
export type { FileContentType, UploadGrants, UploadRequest, UploadVerdict } from "../upload-by-grants.ts";

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
export async function uploadFile(
  file: Blob,
  grant: BrowserGrant,
  options: BrowserUploadOptions = {},
): Promise<UploadVerdict> {
  const { signal } = options;
  const contentType = options.contentType ?? (file.type.split(";", 1)[0] as FileContentType);
  const request = {
    expected_sha256: await digestOf(file),
    expected_content_type: contentType,
    maximum_bytes: Math.max(1, file.size),
  };
  signal?.throwIfAborted();
  const put = (uploadToken: string) => send(file, `${apiOf(grant)}/file-uploads/${uploadToken}`, contentType, options);
  const fileObjectId = await sendByGrants(request, { grants: grant, put, signal, wait: waitInRealTime });
  return awaitVerdict(grant, fileObjectId, options);
}

const apiOf = ({ baseUrl }: BrowserGrant): string => `${baseUrl.replace(/\/+$/, "")}/api/v1`;

/** Sends the bytes by XMLHttpRequest, because fetch does not report the progress of a request. */
function send(
  file: Blob,
  url: string,
  contentType: string,
  { onProgress, signal, stallMs = 30_000 }: BrowserUploadOptions,
): Promise<void> {
  const stall = createStallLimit(stallMs);
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.setRequestHeader("content-type", contentType);
    const giveUp = (): void => {
      request.abort();
      const reason = signal?.aborted === true ? signal.reason : null;
      reject(reason ?? new ConnectionError(`this page gave up: no byte moved for ${stallMs} ms`, { gaveUp: "client" }));
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    stall.signal.addEventListener("abort", giveUp, { once: true });
    request.upload.onprogress = ({ loaded }) => {
      stall.touch();
      onProgress?.(loaded, file.size);
    };
    request.upload.onload = () => stall.sentAll(file.size);
    request.onprogress = stall.touch;
    request.onerror = () =>
      reject(new ConnectionError("the connection to the platform broke", { gaveUp: "connection" }));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve();
      const headers = new Headers();
      for (const name of ["retry-after", "x-correlation-id"]) {
        const value = request.getResponseHeader(name);
        if (value !== null) headers.set(name, value);
      }
      const response = new Response(request.responseText, { status: request.status, headers });
      errorOfResponse(response).then(reject, reject);
    };
    request.onloadend = () => signal?.removeEventListener("abort", giveUp);
    request.send(file);
  }).finally(stall.stop);
}

import { digestOf } from "../digest.js";
import { ConnectionError, errorOfResponse } from "../errors.js";
import { waitInRealTime } from "../retry.js";
import { createStallLimit } from "../stall-limit.js";
import { awaitVerdict, sendByGrants, } from "../upload-by-grants.js";
export { ConnectionError, PlatformError } from "../errors.js";
/**
 * Uploads a file from a page of any origin, and waits for the verdict of its inspection. After a lost response, it
 * queries the state of the upload before it sends anything again, so that no file is stored or charged twice.
 * @throws PlatformError if the platform rejects the file
 * @throws ConnectionError if the connection broke or stalled and all retries were used up; `gaveUp` tells who ended it
 * @throws the reason of `signal` if the page aborts
 */
export async function uploadFile(file, grant, options = {}) {
    const { signal } = options;
    const contentType = options.contentType ?? file.type.split(";", 1)[0];
    const request = {
        expected_sha256: await digestOf(file),
        expected_content_type: contentType,
        maximum_bytes: Math.max(1, file.size),
    };
    signal?.throwIfAborted();
    const put = (uploadToken) => send(file, `${apiOf(grant)}/file-uploads/${uploadToken}`, contentType, options);
    const fileObjectId = await sendByGrants(request, { grants: grant, put, signal, wait: waitInRealTime });
    return awaitVerdict(grant, fileObjectId, options);
}
const apiOf = ({ baseUrl }) => `${baseUrl.replace(/\/+$/, "")}/api/v1`;
/** Sends the bytes by XMLHttpRequest, because fetch does not report the progress of a request. */
function send(file, url, contentType, { onProgress, signal, stallMs = 30_000 }) {
    const stall = createStallLimit(stallMs);
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open("PUT", url);
        request.setRequestHeader("content-type", contentType);
        const giveUp = () => {
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
        request.onerror = () => reject(new ConnectionError("the connection to the platform broke", { gaveUp: "connection" }));
        request.onload = () => {
            if (request.status >= 200 && request.status < 300)
                return resolve();
            const headers = new Headers();
            for (const name of ["retry-after", "x-correlation-id"]) {
                const value = request.getResponseHeader(name);
                if (value !== null)
                    headers.set(name, value);
            }
            const response = new Response(request.responseText, { status: request.status, headers });
            errorOfResponse(response).then(reject, reject);
        };
        request.onloadend = () => signal?.removeEventListener("abort", giveUp);
        request.send(file);
    }).finally(stall.stop);
}

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ConnectionError, PlatformError } from "./errors.js";
import { pollUntil } from "./poll.js";
import { partsOf } from "./streams.js";
/** An upload with an unknown outcome has used its token up, so each attempt has its own grant. */
const triesMax = 3;
/** Uploads a file and waits for the verdict of its inspection. */
export async function uploadFile(call, source, options) {
    const blob = await blobOf(source);
    const { contentType, signal, correlationId } = options;
    const around = {
        ...(signal === undefined ? {} : { signal }),
        ...(correlationId === undefined ? {} : { correlationId }),
    };
    const body = {
        expected_sha256: await digestOf(blob),
        expected_content_type: contentType,
        maximum_bytes: Math.max(1, blob.size),
    };
    const fileObjectId = await sendBytes(call, blob, body, around);
    const params = { fileObjectId };
    const verdict = await pollUntil(async () => (await call("files.completeFileObject", { params, ...around })).data, ({ status }) => status === "available" || status === "rejected", options);
    if (verdict.status === "available")
        return { status: "available", fileObjectId };
    if (verdict.status !== "rejected" || verdict.rejection_reason === null)
        return { status: "quarantined", fileObjectId };
    return { status: "rejected", fileObjectId, rejectionReason: verdict.rejection_reason };
}
async function sendBytes(call, blob, body, around) {
    for (let tries = 1;; tries += 1) {
        const { data: grant } = await call("files.createUploadGrant", { body, ...around });
        try {
            const params = { uploadToken: grant.upload_token };
            await call("files.uploadFile", { params, body: blob, contentType: body.expected_content_type, ...around });
            return grant.file_object_id;
        }
        catch (error) {
            around.signal?.throwIfAborted();
            const isUncertain = error instanceof ConnectionError || (error instanceof PlatformError && error.retryable);
            if (!isUncertain || tries >= triesMax)
                throw error;
        }
    }
}
async function blobOf(source) {
    if (source instanceof Blob)
        return source;
    if (source instanceof Uint8Array)
        return new Blob([source]);
    const parts = [];
    const all = "getReader" in source ? partsOf(source) : source;
    for await (const part of all)
        parts.push(part);
    return new Blob(parts);
}
async function digestOf(blob) {
    const hash = sha256.create();
    for await (const part of partsOf(blob.stream()))
        hash.update(part);
    return bytesToHex(hash.digest());
}

import { digestOf } from "./digest.js";
import { PlatformError } from "./errors.js";
import { partsOf } from "./streams.js";
import { awaitVerdict, sendByGrants, } from "./upload-by-grants.js";
/** Uploads a file and waits for the verdict of its inspection. */
export async function uploadFile(call, source, options, wait) {
    const blob = await blobOf(source);
    const { contentType, signal, correlationId } = options;
    const around = {
        ...(signal === undefined ? {} : { signal }),
        ...(correlationId === undefined ? {} : { correlationId }),
    };
    const grants = {
        create: async (body) => (await call("files.createUploadGrant", { body, ...around })).data,
        complete: (fileObjectId) => completed(call, fileObjectId, around),
    };
    const request = {
        expected_sha256: await digestOf(blob),
        expected_content_type: contentType,
        maximum_bytes: Math.max(1, blob.size),
    };
    const put = (uploadToken) => call("files.uploadFile", { params: { uploadToken }, body: blob, contentType, ...around });
    const fileObjectId = await sendByGrants(request, { grants, put, signal, wait });
    return awaitVerdict(grants, fileObjectId, options);
}
async function completed(call, fileObjectId, around) {
    try {
        return (await call("files.completeFileObject", { params: { fileObjectId }, ...around })).data;
    }
    catch (error) {
        if (error instanceof PlatformError && error.code === "file_object_not_uploaded")
            return null;
        throw error;
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

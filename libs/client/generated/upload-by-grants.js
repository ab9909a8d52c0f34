import { ConnectionError, PlatformError } from "./errors.js";
import { pollUntil } from "./poll.js";
const grantsMax = 3;
/** Tries by one grant. */
const triesMax = 4;
const firstWaitMs = 500;
/**
 * Sends bytes by as many grants as needed. After a lost response, it queries whether the bytes have arrived before it
 * sends anything again, and requests a new grant only once the old token is consumed: until then the first attempt
 * might still succeed, and the file would be stored and charged twice.
 * @returns the id of the File Object whose bytes have arrived
 */
export async function sendByGrants(request, sending) {
    for (let granted = 1;; granted += 1) {
        const grant = await sending.grants.create(request);
        const spent = await sendByGrant(grant, sending);
        if (spent === null)
            return grant.file_object_id;
        if (granted >= grantsMax)
            throw spent;
    }
}
/** Returns null once the bytes have arrived, or the error after which the grant is of no use. */
async function sendByGrant({ file_object_id: fileObjectId, upload_token: uploadToken }, { grants, put, signal, wait }) {
    for (let tries = 1;; tries += 1) {
        try {
            signal?.throwIfAborted();
            await put(uploadToken);
            return null;
        }
        catch (error) {
            signal?.throwIfAborted();
            const isSpent = error instanceof PlatformError && error.code === "upload_token_invalid";
            if (!isSpent && !isUncertain(error))
                throw error;
            const seen = await orUncertain(grants.complete(fileObjectId));
            if (seen !== null && !("uncertain" in seen))
                return null;
            // A consumed token does not prove that the bytes have arrived. While the state is unknown, the loop asks for it again.
            if (isSpent && seen === null)
                return error;
            if (tries >= triesMax)
                throw error;
            await wait(waitBefore(error, tries), signal);
        }
    }
}
/**
 * Polls the verdict of a file whose bytes have arrived. Polling is safe to repeat, so a timeout or a lost connection
 * does not end it.
 * @throws the error of the last attempt, if no attempt got a response
 */
export async function awaitVerdict(grants, fileObjectId, options) {
    const answers = [];
    const last = await pollUntil(async () => {
        const seen = await orUncertain(grants.complete(fileObjectId));
        if (seen === null || !("uncertain" in seen))
            answers.push(seen);
        return seen;
    }, (seen) => seen !== null && "status" in seen && (seen.status === "available" || seen.status === "rejected"), options);
    if (answers.length === 0 && last !== null && "uncertain" in last)
        throw last.uncertain;
    return verdictOf(fileObjectId, answers.at(-1) ?? null);
}
/** The response, or an error after which the same request may get one. */
async function orUncertain(asked) {
    try {
        return await asked;
    }
    catch (error) {
        if (!isUncertain(error))
            throw error;
        return { uncertain: error };
    }
}
function isUncertain(error) {
    return error instanceof ConnectionError || (error instanceof PlatformError && error.retryable);
}
function waitBefore(error, tries) {
    const retryAfterSeconds = error instanceof PlatformError ? error.retryAfterSeconds : null;
    return retryAfterSeconds === null ? firstWaitMs * 2 ** (tries - 1) : retryAfterSeconds * 1000;
}
/** Converts the status of a File Object to a verdict. */
function verdictOf(fileObjectId, file) {
    if (file?.status === "available")
        return { status: "available", fileObjectId };
    if (file?.status === "rejected" && file.rejection_reason !== null) {
        return { status: "rejected", fileObjectId, rejectionReason: file.rejection_reason };
    }
    return { status: "quarantined", fileObjectId };
}

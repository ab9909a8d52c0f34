import { ConnectionError, errorOfResponse } from "./errors.js";
import { operationTable } from "./generated/operations.js";
import { hostedContinuationForm, } from "./hosted-continuation-form.js";
import { waitInRealTime, withRetries } from "./retry.js";
import { createStallLimit } from "./stall-limit.js";
import { smallPartsOf } from "./streams.js";
import { uploadFile } from "./upload-file.js";
import { waitForDelivery } from "./wait-for-delivery.js";
/**
 * A client of the platform. Operations that need an Idempotency-Key get one, which is the same for every attempt.
 * Retryable errors are retried if a repeat has no second effect.
 */
export function createClient(options) {
    const policy = { attemptsMax: 4, waitMsMax: 60_000, wait: waitInRealTime, ...options.retry };
    const send = options.fetch ?? fetch;
    const { timeoutMs = 30_000 } = options;
    const exchange = async (id, request = {}) => {
        const row = operationTable[id];
        const url = `${options.baseUrl.replace(/\/+$/, "")}/api/v1${pathOf(row, request.params ?? {})}`;
        const key = request.idempotencyKey ?? (row.needsKey ? crypto.randomUUID() : undefined);
        const credential = request.credential === undefined ? options.credential : request.credential;
        const init = {
            method: row.method,
            headers: {
                accept: "application/json",
                ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
                ...(key === undefined ? {} : { "idempotency-key": key }),
                ...(request.correlationId === undefined ? {} : { "x-correlation-id": request.correlationId }),
                ...(row.body === "none" ? {} : { "content-type": request.contentType ?? "application/json" }),
            },
            ...bodyOf(row, request.body),
        };
        return withRetries(policy, isRepeatable(row), request.signal, async () => {
            const limit = createStallLimit(timeoutMs);
            const signal = request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal]);
            const reach = createReach(limit.signal, timeoutMs);
            try {
                const sent = row.body === "bytes" ? watchedBytes(init, limit) : init;
                return await answerOf(await reach(() => send(url, { ...sent, signal })), reach);
            }
            finally {
                limit.stop();
            }
        });
    };
    const call = (async (id, request) => (await exchange(id, request)).body);
    return {
        exchange: exchange,
        call,
        uploadFile: (source, options) => uploadFile(call, source, options, policy.wait),
        waitForDelivery: (deliveryId, options) => waitForDelivery(call, deliveryId, options),
        hostedContinuationForm: (continuation, button) => hostedContinuationForm(options.baseUrl, continuation, button),
    };
}
/**
 * Returns whether the request may be repeated after an unknown outcome. An upload's token is consumed by its first
 * attempt.
 */
function isRepeatable(row) {
    return row.body !== "bytes" && (row.needsKey || row.method !== "POST");
}
function pathOf(row, params) {
    return row.path.replace(/\{([^}]+)\}/g, (_, name) => {
        const value = params[name];
        if (value === undefined || value === "")
            throw new TypeError(`${row.method} ${row.path} needs params.${name}`);
        return encodeURIComponent(value);
    });
}
function bodyOf(row, body) {
    if (row.body === "none")
        return {};
    return { body: row.body === "json" ? JSON.stringify(body) : body };
}
/**
 * A part is requested once the previous one was read, so parts of this size show whether the connection makes progress.
 */
const watchedPartBytes = 64 * 1024;
/** A request whose body reports its progress. If the body of a fetch is not a stream, nothing is reported. */
function watchedBytes(init, { touch, sentAll }) {
    const { body } = init;
    const blob = body instanceof Blob ? body : new Blob([body]);
    if (blob.size === 0)
        return { ...init, body: blob };
    const parts = smallPartsOf(blob.stream(), watchedPartBytes);
    const stream = new ReadableStream({
        pull: async (controller) => {
            touch();
            const { done, value } = await parts.next();
            if (done !== true)
                return controller.enqueue(value);
            sentAll(blob.size);
            controller.close();
        },
        cancel: async () => void (await parts.return(undefined)),
    });
    const headers = { ...init.headers, "content-length": String(blob.size) };
    // `duplex` is not in the DOM's types yet (https://fetch.spec.whatwg.org/#dom-requestinit-duplex).
    return { ...init, headers, body: stream, duplex: "half" };
}
/** Runs a part of an attempt, and records who gave up if it does not end. */
function createReach(limit, limitMs) {
    return async (action) => {
        try {
            return await action();
        }
        catch (error) {
            throw limit.aborted
                ? new ConnectionError(`this client gave up after ${limitMs} ms`, { gaveUp: "client", cause: error })
                : new ConnectionError("the connection to the platform broke, or could not be made", {
                    gaveUp: "connection",
                    cause: error,
                });
        }
    };
}
async function answerOf(response, reach) {
    if (!response.ok)
        throw await reach(() => errorOfResponse(response));
    return {
        status: response.status,
        body: (await reach(() => response.json())),
        headers: response.headers,
        correlationId: response.headers.get("x-correlation-id") ?? "",
        isReplayed: response.headers.get("idempotency-replayed") === "true",
    };
}

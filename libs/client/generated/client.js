import { ConnectionError, errorOfResponse } from "./errors.js";
import { operationTable } from "./generated/operations.js";
import { hostedContinuationForm, } from "./hosted-continuation-form.js";
import { waitInRealTime, withRetries } from "./retry.js";
import { uploadFile } from "./upload-file.js";
import { waitForDelivery } from "./wait-for-delivery.js";
/**
 * A client of the platform. Operations that need an Idempotency-Key get one, the same for every attempt; retryable errors are retried where a repeat
 * has no second effect.
 */
export function createClient(options) {
    const policy = { attemptsMax: 4, waitMsMax: 60_000, wait: waitInRealTime, ...options.retry };
    const send = options.fetch ?? fetch;
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
            const limit = AbortSignal.timeout(options.timeoutMs ?? 30_000);
            const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
            return answerOf(await reach(() => send(url, { ...init, signal })));
        });
    };
    const call = (async (id, request) => (await exchange(id, request)).body);
    return {
        exchange: exchange,
        call,
        uploadFile: (source, options) => uploadFile(call, source, options),
        waitForDelivery: (deliveryId, options) => waitForDelivery(call, deliveryId, options),
        hostedContinuationForm: (continuation, button) => hostedContinuationForm(options.baseUrl, continuation, button),
    };
}
/** May the request be repeated after an unknown outcome? An upload's token is used up by its first attempt. */
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
async function reach(action) {
    try {
        return await action();
    }
    catch (error) {
        throw new ConnectionError("the platform did not answer", { cause: error });
    }
}
async function answerOf(response) {
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

/** The platform rejected a request or failed to process it. */
export class PlatformError extends Error {
    name = "PlatformError";
    code;
    /** Status of the response. */
    status;
    /** True if the same request may succeed later. */
    retryable;
    /** Correlation id to quote to the platform's operators. */
    correlationId;
    details;
    /** How long to wait before the next attempt, in seconds; null if the platform did not specify it. */
    retryAfterSeconds;
    constructor(fields) {
        super(`${fields.code}: ${fields.message}`);
        this.code = fields.code;
        this.status = fields.status;
        this.retryable = fields.retryable;
        this.correlationId = fields.correlationId;
        this.details = fields.details;
        this.retryAfterSeconds = fields.retryAfterSeconds;
    }
    /** Places at which the request violates the contract; empty for other errors. */
    get violations() {
        return Array.isArray(this.details.violations) ? this.details.violations : [];
    }
}
/** No response arrived: the connection failed, broke, or one attempt timed out. The outcome of the request is unknown. */
export class ConnectionError extends Error {
    name = "ConnectionError";
    /**
     * What ended the attempt: the time limit of this client, or the connection, which was lost or could not be
     * established.
     */
    gaveUp;
    constructor(message, { gaveUp, ...options }) {
        super(message, options);
        this.gaveUp = gaveUp;
    }
}
/** Converts an unsuccessful response to an error. */
export async function errorOfResponse(response) {
    const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
    const around = {
        status: response.status,
        retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    };
    const envelope = parseEnvelope(await response.text());
    if (envelope === null) {
        return new PlatformError({
            ...around,
            code: "unexpected_answer",
            message: `status ${response.status} without the error envelope`,
            retryable: response.status >= 502 && response.status <= 504,
            correlationId: response.headers.get("x-correlation-id") ?? "",
            details: {},
        });
    }
    const { code, message, retryable, correlation_id: correlationId, details } = envelope;
    return new PlatformError({
        ...around,
        code,
        message,
        retryable,
        correlationId,
        details: details,
    });
}
function parseEnvelope(text) {
    try {
        const { error } = JSON.parse(text);
        return typeof error?.code === "string" ? error : null;
    }
    catch {
        return null;
    }
}

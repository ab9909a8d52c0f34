import type { components } from "./generated/schema.js";
type Envelope = components["schemas"]["Error"]["error"];
/** Every error code of the platform, and `unexpected_answer` for a response without the envelope, which comes from a proxy in between. */
export type ErrorCode = Envelope["code"] | "unexpected_answer";
/** One violation of the contract. */
export type Violation = {
    readonly path: string;
    readonly code: string;
    readonly message: string;
};
/** The platform rejected a request or failed to process it. */
export declare class PlatformError extends Error {
    readonly name = "PlatformError";
    readonly code: ErrorCode;
    /** Status of the response. */
    readonly status: number;
    /** True if the same request may succeed later. */
    readonly retryable: boolean;
    /** Correlation id to quote to the platform's operators. */
    readonly correlationId: string;
    readonly details: Readonly<Record<string, unknown>>;
    /** How long to wait before the next attempt, in seconds; null if the platform did not specify it. */
    readonly retryAfterSeconds: number | null;
    constructor(fields: Pick<PlatformError, "code" | "status" | "retryable" | "correlationId" | "details"> & {
        readonly message: string;
        readonly retryAfterSeconds: number | null;
    });
    /** Places at which the request violates the contract; empty for other errors. */
    get violations(): readonly Violation[];
}
/** No response arrived: the connection failed, broke, or one attempt timed out. The outcome of the request is unknown. */
export declare class ConnectionError extends Error {
    readonly name = "ConnectionError";
    /**
     * What ended the attempt: the time limit of this client, or the connection, which was lost or could not be
     * established.
     */
    readonly gaveUp: "client" | "connection";
    constructor(message: string, { gaveUp, ...options }: ErrorOptions & {
        readonly gaveUp: "client" | "connection";
    });
}
/** Converts an unsuccessful response to an error. */
export declare function errorOfResponse(response: Response): Promise<PlatformError>;
export {};

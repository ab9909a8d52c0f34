import { type HandledIds } from "./handled-ids.js";
import { type ReceivedRequest, type WebhookCall, type WebhookSecret } from "./verify.js";
export type WebhookOptions = {
    readonly secret: WebhookSecret;
    /** Handles a call. If it rejects, the response is 500 and the platform repeats the call later. */
    readonly handle: (call: WebhookCall) => Promise<unknown> | unknown;
    /** Store of handled ids; by default in memory. */
    readonly handledIds?: HandledIds;
    /** Called with the error that `handle` threw. */
    readonly onError?: (error: unknown) => void;
};
export type WebhookAnswer = {
    readonly status: 200 | 400 | 401 | 409 | 413 | 500;
    readonly message: string;
};
/** Maximum size of a call's body in bytes. */
export declare const bodyBytesMax: number;
/**
 * Verifies, de-duplicates and handles calls, and returns the response to each.
 * @throws TypeError when the secret cannot be one
 */
export declare function receiver({ secret, handle, handledIds, onError }: WebhookOptions): (request: ReceivedRequest) => Promise<WebhookAnswer>;

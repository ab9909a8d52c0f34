import { type HostedContinuation, type HostedContinuationForm } from "./hosted-continuation-form.js";
import type { Answer, CallFunction, OperationId, RequestArguments } from "./operation-types.js";
import type { WaitOptions } from "./poll.js";
import { type RetryPolicy } from "./retry.js";
import { type FileSource, type UploadOptions, type UploadVerdict } from "./upload-file.js";
import { type Delivery } from "./wait-for-delivery.js";
export type ClientOptions = {
    /** URL of the platform, such as `https://platform.example.com`. */
    readonly baseUrl: string;
    /**
     * Project Credential (`pcred_…`) or Platform Session (`psess_…`); null if only operations without authentication are
     * called.
     */
    readonly credential: string | null;
    /**
     * Time limit of one attempt, until its complete response has arrived; 30 seconds by default. For an upload, it is the
     * longest time without a byte sent, and the whole upload may take as long as the platform permits.
     */
    readonly timeoutMs?: number;
    readonly retry?: Partial<RetryPolicy>;
    readonly fetch?: typeof fetch;
};
/** Calls the platform's operations by their ids, and offers functions for tasks that need several operations. */
export type Client = {
    /**
     * Calls an operation and returns its success body.
     * @throws PlatformError if the platform rejects the request or fails, after all sensible attempts
     * @throws ConnectionError if no response arrived
     */
    readonly call: CallFunction;
    /** Like `call`, with status, headers and whether the outcome is a replay. */
    exchange<Id extends OperationId>(id: Id, ...request: RequestArguments<Id>): Promise<Answer<Id>>;
    /** Uploads a file (digest, grant, bytes, completion) and waits for the verdict of its inspection. */
    uploadFile(source: FileSource, options: UploadOptions): Promise<UploadVerdict>;
    /** Waits until a notification is `sent` or `failed`; after the given time, returns the delivery as it is. */
    waitForDelivery(deliveryId: string, options?: WaitOptions): Promise<Delivery>;
    /** The form that sends a browser to the hosted pages of an identity migration. */
    hostedContinuationForm(continuation: HostedContinuation, button?: string): HostedContinuationForm;
};
/**
 * A client of the platform. Operations that need an Idempotency-Key get one, which is the same for every attempt.
 * Retryable errors are retried if a repeat has no second effect.
 */
export declare function createClient(options: ClientOptions): Client;

import type { Answer, OperationId, RequestArguments, ResponseOf } from "./operation-types.ts";
import { type RetryPolicy } from "./retry.ts";
export type ClientOptions = {
    /** Where the platform is: `https://platform.example.com`. */
    readonly baseUrl: string;
    /** Project Credential (`pcred_…`) or Platform Session (`psess_…`); null where only operations without authentication are called. */
    readonly credential: string | null;
    /** Time for one try, until its answer is there whole; 30 seconds by default. */
    readonly timeoutMs?: number;
    readonly retry?: Partial<RetryPolicy>;
    readonly fetch?: typeof fetch;
};
/** Calls the platform's operations by their ids. */
export type Client = {
    /**
     * Calls an operation and answers its success body.
     * @throws PlatformError when the platform refuses or fails, after the tries that make sense
     * @throws ConnectionError when no answer came
     */
    call<Id extends OperationId>(id: Id, ...request: RequestArguments<Id>): Promise<ResponseOf<Id>>;
    /** Like `call`, and answers status, headers and whether the outcome is a replay, too. */
    exchange<Id extends OperationId>(id: Id, ...request: RequestArguments<Id>): Promise<Answer<Id>>;
};
/**
 * A client of the platform. Operations that need an Idempotency-Key get one, kept over every try; retryable errors are tried again, as
 * long as a repeat can do nothing twice.
 */
export declare function createClient(options: ClientOptions): Client;

import type { ErrorCode } from "../errors.js";
import type { OperationId, ResponseOf } from "../operation-types.js";
export type FakeQuotaResource = "api_traffic" | "storage_bytes" | "deliveries" | "events" | "scheduled_invocations" | "realtime_connections" | "payment_transactions" | "audit_retention";
export type FakePlatformOptions = {
    /** Scopes of the credential; all by default. */
    readonly scopes?: readonly string[];
    readonly environment?: "development" | "sandbox" | "staging" | "production";
    /** Return addresses that a hosted continuation may name; by default any. */
    readonly returnUris?: readonly string[];
    /** Hard quotas; a million units each by default. */
    readonly limits?: {
        readonly [Resource in FakeQuotaResource]?: number;
    };
};
/** A request that reached an operation. */
export type SeenRequest = {
    readonly operationId: OperationId;
    readonly status: number;
    readonly params: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly idempotencyKey: string | null;
};
/** A notification that the fake accepts and does not send. */
export type SentNotification = {
    readonly deliveryId: string;
    readonly endpointId: string;
    readonly templateKey: string;
    readonly locale: string;
    readonly variables: Readonly<Record<string, string | number>>;
};
/** A target of calls: a fetch handler, or a function that passes the request to an app. */
export type CallTarget = (request: Request) => Promise<Response> | Response;
/**
 * The platform in memory, for a project's unit tests. Routes, schemas, keys, quotas and errors are those of the
 * platform's own operation table. The implementation behind them is simple: files are accepted, notifications count as
 * sent, and nothing leaves the process.
 */
export type FakePlatform = {
    readonly baseUrl: string;
    readonly projectClientId: string;
    /** A Project Credential of the fake's one Project Client. */
    readonly credential: string;
    /** Pass it to `createClient({ fetch })`. */
    readonly fetch: typeof fetch;
    /**
     * Serves the fake over HTTP on a free loopback port, for clients that do not accept a `fetch` function. Requires
     * Node.
     */
    listen(): Promise<{
        readonly baseUrl: string;
        close(): Promise<void>;
    }>;
    /** Every request that named an operation, oldest first. */
    readonly requests: readonly SeenRequest[];
    readonly events: readonly ResponseOf<"events.publishDomainEvent">["data"][];
    readonly notifications: readonly SentNotification[];
    /** The next `times` requests of an operation get this error. */
    failNext(operationId: OperationId, code: Exclude<ErrorCode, "unexpected_answer">, times?: number): void;
    setLimit(resource: FakeQuotaResource, limit: number): void;
    /** The next upload is rejected for this reason. */
    rejectNextUpload(reason: NonNullable<ResponseOf<"files.completeFileObject">["data"]["rejection_reason"]>): void;
    /** The next delivery fails with this error. */
    failNextDelivery(lastErrorCode: string): void;
    /** Acts as the person on the hosted pages, so that the transaction becomes `link_pending`. Returns the account's id. */
    linkAccount(transactionId: string): string;
    /** A Platform Session of a person who has just signed in. */
    createSession(): string;
    /** The token that was sent through the channel of an endpoint registered with `notify.registerDeliveryEndpoint`. */
    verificationToken(endpointId: string): string;
    /** The link emailed for an email verification: the token of `identity.verifyEmail`. */
    verificationLinkToken(transactionId: string): string;
    /** Id of an image preset that may be used. */
    readonly imagePresetId: string;
    /** A signed ad decision token. */
    decideAd(format?: "display" | "display_large" | "video"): string;
    /** Calls a registered scheduled operation now, signed with its secret; over the network if no target is given. */
    callScheduled(operationId: string, target?: CallTarget): Promise<Response>;
    /** Sends a Domain Event to a registered endpoint as a subscription would. */
    sendEvent(operationId: string, event: {
        readonly type: string;
        readonly data: Readonly<Record<string, unknown>>;
        readonly source?: string;
    }, target?: CallTarget): Promise<Response>;
};
export type CreateFakePlatform = (options?: FakePlatformOptions) => FakePlatform;
/** Creates a platform in memory. */
export declare const createFakePlatform: CreateFakePlatform;

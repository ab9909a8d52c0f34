import type { webhooks } from "../generated/schema.js";
import { type ReceivedHeaders } from "./received-headers.js";
type BodyOf<Name extends keyof webhooks> = webhooks[Name] extends {
    readonly post: {
        readonly requestBody: {
            readonly content: infer Content;
        };
    };
} ? Content[keyof Content] : never;
/** The body of a call of a scheduled operation. */
export type ScheduledCall = BodyOf<"scheduledCall">;
/** A Domain Event of a subscription, as CloudEvents 1.0. */
export type DomainEventCall = BodyOf<"domainEvent">;
/** A verified call from the platform. `id` is the same for every attempt, so process each id once. */
export type WebhookCall = {
    readonly kind: "scheduled";
    readonly id: string;
    readonly call: ScheduledCall;
} | {
    readonly kind: "event";
    readonly id: string;
    readonly event: DomainEventCall;
};
/** A request as received: its headers, with names in any case, and its body as the received bytes or text. */
export type ReceivedRequest = {
    readonly headers: ReceivedHeaders;
    readonly body: Uint8Array | string;
};
/** The secret the endpoint was registered with, of at least 32 characters; several while one replaces another. */
export type WebhookSecret = string | readonly string[];
/** The platform did not sign the request with this secret just now: it is forged, altered, too old, or not a call at all. */
export declare class WebhookError extends Error {
    readonly name = "WebhookError";
}
/**
 * Verifies a call by Standard Webhooks 1.0 and returns its contents.
 * @param request a fetch Request, whose body is read here, or headers and raw body
 * @throws WebhookError if the call must be rejected
 * @throws TypeError if the secret is not valid, such as that of an unset environment variable: with it, anyone could
 * sign
 */
export declare function verify(secret: WebhookSecret, request: Request | ReceivedRequest): Promise<WebhookCall>;
/** The same as `verify`, for a body that has already been read. */
export declare function verifyReceived(secret: WebhookSecret, { headers, body }: ReceivedRequest): WebhookCall;
/**
 * The secrets, each of which a platform could have registered.
 * @throws TypeError
 */
export declare function secretsOf(secret: WebhookSecret): readonly string[];
export {};

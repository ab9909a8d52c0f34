import { type WebhookOptions } from "./receive.js";
/** A handler for frameworks that speak fetch: Deno, Bun, Hono, Next.js, Workers. */
export declare function fetchHandler(options: WebhookOptions): (request: Request) => Promise<Response>;
/** The parts of a request and its response that the Express handler needs. Node's and Express's objects have them. */
export type ExpressRequest = AsyncIterable<Uint8Array> & {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body?: unknown;
};
export type ExpressResponse = {
    writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
    end(body: string): unknown;
};
/**
 * A handler for Express and plain Node servers. Mount it before `express.json()`, which consumes the bytes that are signed; behind `express.raw()` it
 * works too.
 */
export declare function expressHandler(options: WebhookOptions): (request: ExpressRequest, response: ExpressResponse, next?: (error: unknown) => void) => Promise<void>;

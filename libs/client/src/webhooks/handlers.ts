import { partsOf } from "../streams.ts";
import { bodyBytesMax, receiver, type WebhookAnswer, type WebhookOptions } from "./receive.ts";

/** A handler for frameworks that speak fetch: Deno, Bun, Hono, Next.js, Workers. */
export function fetchHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  const receive = receiver(options);
  return async (request) => {
    const body = await readUpTo(bodyBytesMax, request.body === null ? [] : partsOf(request.body));
    const answer = body === null ? tooLarge : await receive({ headers: request.headers, body });
    return Response.json({ message: answer.message }, { status: answer.status });
  };
}

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
export function expressHandler(options: WebhookOptions) {
  const receive = receiver(options);
  return async (request: ExpressRequest, response: ExpressResponse, next?: (error: unknown) => void): Promise<void> => {
    try {
      const answer = await answerOf(request, receive);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ message: answer.message }));
    } catch (error) {
      if (next === undefined) throw error;
      next(error);
    }
  };
}

async function answerOf(request: ExpressRequest, receive: ReturnType<typeof receiver>): Promise<WebhookAnswer> {
  const { headers, body: given } = request;
  if (typeof given === "string" || given instanceof Uint8Array) return receive({ headers, body: given });
  if (given !== undefined && Object.keys(given as object).length > 0) {
    throw new TypeError(
      "the body was parsed before its signature was verified: mount the webhook handler before express.json()",
    );
  }
  const body = await readUpTo(bodyBytesMax, request);
  return body === null ? tooLarge : receive({ headers, body });
}

const tooLarge: WebhookAnswer = { status: 413, message: "the body is too large" };

async function readUpTo(
  bytesMax: number,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array | null> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    size += part.byteLength;
    if (size > bytesMax) return null;
    read.push(part);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of read) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}

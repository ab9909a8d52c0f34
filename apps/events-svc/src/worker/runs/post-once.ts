import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

/**
 * A body whose text is released once it has been sent, so that it does not stay in memory while the worker waits for
 * the response.
 */
export type OutgoingBody = { text: string };

/** Bodies above this length, in characters, are released. Releasing a smaller one would cost more than it frees. */
const largeBody = 16 * 1024;

/** A request that is sent once, without following redirects and without retries. */
export type Post = {
  readonly origin: string;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: OutgoingBody;
  /** Called when a large body was handed to the operating system and is no longer in memory. */
  readonly onBodySent?: () => void;
  /** Timeout of the whole request, from the wait for a connection to the end of the response. */
  readonly timeoutMs: number;
  /**
   * Called when the connection is ready, before the first byte is sent, because the worker may have been paused in the
   * meantime.
   */
  readonly mayBegin?: () => boolean;
  /**
   * Maximum size of the response, in bytes. For a longer one, the connection is closed, and the part that has arrived
   * is kept.
   */
  readonly bytesMax: number;
};

export type PostAnswer = {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Thrown if no status arrived in time. */
export class PostTimedOut extends Error {}

/** Thrown if the connection was ready too late. Nothing was sent. */
export class PostNotBegun extends Error {}

/**
 * Sends a request on a dispatcher, without intermediate streams, which would cost more than the request. The status
 * alone decides: it does not matter if the body is interrupted or late.
 * @param cancels contains an abort function while the request is in flight
 * @throws PostTimedOut, PostNotBegun, the dispatcher's error, or the abort reason
 */
export function postOnce(
  dispatcher: Dispatcher,
  post: Post,
  cancels: Set<(reason: Error) => void>,
): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let statusCode: number | null = null;
    let headers: IncomingHttpHeaders = {};
    let controller: Dispatcher.DispatchController | null = null;
    let isOver = false;
    let brokenOff: Error | null = null;

    const end = (error: Error | null): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      cancels.delete(breakOff);
      if (statusCode !== null) resolve({ statusCode, headers, body: Buffer.concat(chunks) });
      else reject(error ?? new Error("no status came"));
    };
    const breakOff = (reason: Error): void => {
      brokenOff = reason;
      end(reason);
      controller?.abort(reason);
    };
    const timer = setTimeout(() => breakOff(new PostTimedOut("no answer in time")), post.timeoutMs);
    cancels.add(breakOff);
    try {
      dispatcher.dispatch(
        { method: "POST", origin: post.origin, path: post.path, ...bodyOf(post) },
        {
          onRequestStart: (given) => {
            controller = given;
            // The request timed out while it waited for a connection, so it is not sent.
            if (brokenOff !== null) given.abort(brokenOff);
            else if (post.mayBegin?.() === false) breakOff(new PostNotBegun("its connection came too late"));
          },
          onResponseStart: (_controller, status, given) => {
            if (status < 200) return;
            statusCode = status;
            headers = given;
          },
          onResponseData: (_controller, chunk) => {
            if (isOver) return;
            if (length < post.bytesMax) chunks.push(chunk.subarray(0, post.bytesMax - length));
            length += chunk.byteLength;
            if (length > post.bytesMax) breakOff(new Error("the answer is too long"));
          },
          onResponseEnd: () => end(null),
          onResponseError: (_controller, error) => end(error),
        },
      );
    } catch (error) {
      end(error as Error);
    }
  });
}

/**
 * Returns the headers and the body in the form that the dispatcher accepts. A large body is passed as an iterator:
 * the dispatcher keeps a string or bytes until the response, but an iterator only until its end.
 */
function bodyOf({ headers, body, onBodySent }: Post): Pick<Dispatcher.DispatchOptions, "headers" | "body"> {
  if (body.text.length < largeBody) return { headers, body: body.text };
  const length = `${Buffer.byteLength(body.text)}`;
  // The type definitions of undici do not include iterables, although its dispatcher accepts them.
  return { headers: [...headers, "content-length", length], body: sentOnce(body, onBodySent) as never };
}

function* sentOnce(body: OutgoingBody, onSent: (() => void) | undefined): Generator<Buffer> {
  yield Buffer.from(body.text);
  body.text = "";
  onSent?.();
}

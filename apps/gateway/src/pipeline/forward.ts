import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import { dependencyUnavailable } from "@platform/service-kit/errors/service-error";
import { decodeErrorDetail } from "@platform/service-kit/grpc/error-detail";
import { sendBytes } from "@platform/service-kit/http/bulk-bytes";
import { errorHeader } from "@platform/service-kit/http/send-error";
import { activeTraceparent } from "@platform/service-kit/tracing/spans";
import { createProxyMiddleware } from "http-proxy-middleware";
import type { Exchange } from "./exchange.ts";

/** The services that serve bytes or pages themselves. */
export type PageServer = "identity" | "files" | "notify";

/** What the service behind is told of a request. */
export type ForwardedRequest = Pick<Exchange, "request" | "response" | "correlationId" | "source" | "isSourceShared">;

/**
 * Streams a request to the service's HTTP port and its answer back, both ways with back-pressure. Resolves when the answer has been
 * written; rejects with a ServiceError when the service refused or cannot be reached, and then nothing has been written.
 */
export type Forward = (server: PageServer, forwarded: ForwardedRequest) => Promise<void>;

/** Tells a service that others stand behind the source, too, so that it must not be judged by the source alone. */
const sharedSourceHeader = "x-platform-source-shared";

/** Headers a client may not set: they are ours to say. */
const droppedHeaders = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "forwarded",
  "x-real-ip",
  sharedSourceHeader,
  "traceparent",
  "tracestate",
  errorHeader,
];

/**
 * Longest time a connection to a service is kept without use, in milliseconds. A service says a shorter one, which an agent heeds only when
 * it has one of its own; a request that was sent on a connection as the service closed it would be lost.
 */
const idleMsMax = 30_000;

/**
 * @param targets host:port of each service's HTTP port
 * @param beginUpload told of each upload before it is forwarded
 */
export function createForward(
  targets: Readonly<Record<PageServer, string>>,
  publicBaseUrl: string,
  beginUpload: (request: IncomingMessage) => void,
): Forward {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: idleMsMax });
  const publicUrl = new URL(publicBaseUrl);
  const pending = new WeakMap<
    IncomingMessage,
    {
      forwarded: ForwardedRequest;
      /** Of the span it is forwarded in; undefined when tracing is off. */
      traceparent: string | undefined;
      expectsContinue: boolean;
      resolve: () => void;
      reject: (error: Error) => void;
    }
  >();

  const middlewareOf = (target: string) =>
    createProxyMiddleware<IncomingMessage, ServerResponse>({
      target: `http://${target}`,
      agent,
      selfHandleResponse: true,
      on: {
        proxyReq: (proxyRequest, request) => {
          const { forwarded, traceparent, expectsContinue } = pending.get(request) ?? {};
          for (const name of droppedHeaders) proxyRequest.removeHeader(name);
          if (forwarded === undefined) return;
          proxyRequest.setHeader("x-correlation-id", forwarded.correlationId);
          proxyRequest.setHeader("x-forwarded-for", forwarded.source);
          if (forwarded.isSourceShared) proxyRequest.setHeader(sharedSourceHeader, "true");
          proxyRequest.setHeader("x-forwarded-host", publicUrl.host);
          proxyRequest.setHeader("x-forwarded-proto", publicUrl.protocol.slice(0, -1));
          if (traceparent !== undefined) proxyRequest.setHeader("traceparent", traceparent);
          if (expectsContinue !== true) return;
          // The client waits, so the headers must go now: the service judges them, and only its yes lets the client begin.
          proxyRequest.once("continue", () => {
            if (!forwarded.response.destroyed) forwarded.response.writeContinue();
          });
          proxyRequest.setHeader("expect", "100-continue");
          proxyRequest.flushHeaders();
        },
        proxyRes: (proxyResponse, request, response) => {
          const entry = pending.get(request);
          if (entry === undefined) return;
          const detail = proxyResponse.headers[errorHeader];
          if (typeof detail === "string") {
            proxyResponse.resume();
            const { "content-range": contentRange } = proxyResponse.headers;
            if (contentRange !== undefined) response.setHeader("content-range", contentRange);
            // A refused sender may still be sending; its connection goes with the answer.
            if (!request.complete) response.setHeader("connection", "close");
            entry.reject(decodeErrorDetail(Buffer.from(detail, "base64")));
            return;
          }
          response.statusCode = proxyResponse.statusCode ?? 502;
          for (const [name, value] of Object.entries(proxyResponse.headers)) {
            if (value !== undefined && !hopByHop.has(name)) response.setHeader(name, value);
          }
          response.setHeader("x-correlation-id", entry.forwarded.correlationId);
          sendBytes(proxyResponse, response);
        },
        error: (error, request) => pending.get(request)?.reject(dependencyUnavailable(error)),
      },
    });
  const middlewares = {
    identity: middlewareOf(targets.identity),
    files: middlewareOf(targets.files),
    notify: middlewareOf(targets.notify),
  };

  return (server, forwarded) =>
    new Promise((resolve, reject) => {
      const { request, response } = forwarded;
      const expectsContinue = request.headers.expect !== undefined;
      // The proxy library would store a forwarded Expect before the other headers can be set; it is set with them above.
      delete request.headers.expect;
      pending.set(request, { forwarded, traceparent: activeTraceparent(), expectsContinue, resolve, reject });
      if (request.method === "PUT") beginUpload(request);
      request.on("error", () => {});
      // It resolves when the answer's connection is done with, also when the client hung up: then the library has cut the service's side.
      middlewares[server](request, response, (error) => reject(dependencyUnavailable(error))).then(
        () => resolve(),
        reject,
      );
    });
}

/** Headers that concern one connection only (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

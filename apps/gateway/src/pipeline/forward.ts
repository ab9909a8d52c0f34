import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import { dependencyUnavailable } from "@platform/service-kit/errors/service-error";
import { decodeErrorDetail } from "@platform/service-kit/grpc/error-detail";
import { sendBytes } from "@platform/service-kit/http/bulk-bytes";
import { errorHeader } from "@platform/service-kit/http/send-error";
import { activeTraceparent } from "@platform/service-kit/tracing/spans";
import { createProxyMiddleware } from "http-proxy-middleware";
import type { Exchange } from "./exchange.ts";

/** Services that serve bytes or pages. */
export type PageServer = "identity" | "files" | "notify";

/** What the service behind is told of a request. */
export type ForwardedRequest = Pick<Exchange, "request" | "response" | "correlationId" | "source" | "isSourceShared">;

/**
 * Streams a request to the service's HTTP port and the answer back, with back-pressure. Resolves when the answer has been written. Rejects with
 * a ServiceError when the service refused or cannot be reached; nothing has been written then.
 */
export type Forward = (server: PageServer, forwarded: ForwardedRequest) => Promise<void>;

/** Tells a service that the source is shared, so that it is not limited by the source alone. */
const sharedSourceHeader = "x-platform-source-shared";

/** Headers that only the gateway may set. */
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
 * Longest idle time of a connection to a service, in milliseconds. An agent follows the shorter time a service announces only when it has one of its
 * own; otherwise a request could be sent on a connection that the service closes.
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
      /** Traceparent of the active span; undefined when tracing is off. */
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
          // The client waits for 100 Continue, which the service sends after it checked the headers, so the headers are sent now.
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
            // A refused sender may still be sending, so its connection is closed with the answer.
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
      // It resolves when the answer is finished, also when the client hung up; the library then closes the service's side.
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

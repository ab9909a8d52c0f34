import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent } from "node:http";
import { pipeline as pipeStreams } from "node:stream";
import { dependencyUnavailable, type ServiceError } from "@platform/service-kit/errors/service-error";
import { decodeErrorDetail } from "@platform/service-kit/grpc/error-detail";
import { errorHeader } from "@platform/service-kit/http/send-error";
import { createProxyMiddleware } from "http-proxy-middleware";

/** The services that serve bytes or pages themselves. */
export type PageServer = "identity" | "files" | "notify";

/** Paths below /api/v1 that are no operations of the table but belong to a service's pages or bytes. */
export const pagePrefixes: readonly { readonly prefix: string; readonly server: PageServer; readonly route: string }[] =
  [
    { prefix: "/identity-migration/", server: "identity", route: "identity.hostedPages" },
    { prefix: "/file-downloads/", server: "files", route: "files.download" },
    { prefix: "/public-assets/", server: "files", route: "files.publicAsset" },
    { prefix: "/unsubscribe/", server: "notify", route: "notify.unsubscribe" },
  ];

/** Who asks, as the service behind is told. */
export type ForwardedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly correlationId: string;
  readonly source: string;
};

/**
 * Streams a request to the service's HTTP port and its answer back, both ways with back-pressure. Resolves when the answer has been
 * written; rejects with a ServiceError when the service refused or cannot be reached, and then nothing has been written.
 */
export type Forward = (server: PageServer, forwarded: ForwardedRequest) => Promise<void>;

/** Headers a client may not set: they are ours to say. */
const droppedHeaders = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "forwarded",
  "x-real-ip",
  errorHeader,
];

/** @param targets host:port of each service's HTTP port */
export function createForward(targets: Readonly<Record<PageServer, string>>, publicBaseUrl: string): Forward {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const publicUrl = new URL(publicBaseUrl);
  const pending = new WeakMap<
    IncomingMessage,
    { forwarded: ForwardedRequest; resolve: () => void; reject: (error: Error) => void }
  >();

  const middlewareOf = (target: string) =>
    createProxyMiddleware<IncomingMessage, ServerResponse>({
      target: `http://${target}`,
      agent,
      selfHandleResponse: true,
      on: {
        proxyReq: (proxyRequest, request) => {
          const forwarded = pending.get(request)?.forwarded;
          for (const name of droppedHeaders) proxyRequest.removeHeader(name);
          if (forwarded === undefined) return;
          proxyRequest.setHeader("x-correlation-id", forwarded.correlationId);
          proxyRequest.setHeader("x-forwarded-for", forwarded.source);
          proxyRequest.setHeader("x-forwarded-host", publicUrl.host);
          proxyRequest.setHeader("x-forwarded-proto", publicUrl.protocol.slice(0, -1));
        },
        proxyRes: (proxyResponse, request, response) => {
          const entry = pending.get(request);
          if (entry === undefined) return;
          const detail = proxyResponse.headers[errorHeader];
          if (typeof detail === "string") {
            proxyResponse.resume();
            entry.reject(decodeErrorDetail(Buffer.from(detail, "base64")));
            return;
          }
          response.statusCode = proxyResponse.statusCode ?? 502;
          for (const [name, value] of Object.entries(proxyResponse.headers)) {
            if (value !== undefined && !hopByHop.has(name)) response.setHeader(name, value);
          }
          response.setHeader("x-correlation-id", entry.forwarded.correlationId);
          pipeStreams(proxyResponse, response, () => entry.resolve());
        },
        error: (error, request) => pending.get(request)?.reject(forwardError(error)),
      },
    });
  const middlewares = {
    identity: middlewareOf(targets.identity),
    files: middlewareOf(targets.files),
    notify: middlewareOf(targets.notify),
  };

  return (server, forwarded) =>
    new Promise((resolve, reject) => {
      pending.set(forwarded.request, { forwarded, resolve, reject });
      void middlewares[server](forwarded.request, forwarded.response, (error) =>
        error === undefined ? reject(dependencyUnavailable()) : reject(forwardError(error)),
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

function forwardError(error: unknown): ServiceError {
  return dependencyUnavailable(error);
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "@platform/service-kit/process/logger";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { apiPrefix } from "../http/api-listener.ts";
import { createClientAddress } from "../http/client-address.ts";
import { answerClientError } from "../http/client-error.ts";
import { isClosing, markClosing } from "../http/connections.ts";
import { createLongUploads } from "../http/long-uploads.ts";
import { createServeBelow } from "../http/serve-below.ts";
import { forwardStage } from "../pipeline/forward.ts";
import { createProxyPipeline } from "../pipeline/index.ts";
import { createForward } from "../proxies.ts";
import type { RelaySettings } from "./relay-messages.ts";

/**
 * Serves connections that were handed over, one request each: the same parser, judgements and proxies as in the gateway's own process, and
 * the connection ends with the answer, for what comes next on it may be no request for bytes.
 * @returns takes a connection and what has been read of it
 */
export function serveRelayed(settings: RelaySettings, logger: Logger, metrics: GatewayMetrics) {
  const longUploads = createLongUploads();
  const forward = createForward(settings.pages, settings.publicBaseUrl, longUploads, null);
  const clientAddress = createClientAddress(settings.trustedProxies);
  const { serveBelow } = createServeBelow({
    forward,
    // The gateway has let the request in.
    door: {
      refuse: () => false,
      refuseEarly: () => null,
      answered: () => {},
      enter: (_response, _operation, _source, { begin }) => begin(null),
    },
    // No operation but a proxied one is handed over; any other would find nothing here that answers it.
    pipeline: [],
    proxyPipeline: createProxyPipeline({ logger, metrics }, forwardStage(forward)),
    clientAddress,
    isDraining: () => true,
    logger,
    metrics,
  });
  const served = new WeakMap<Duplex, IncomingMessage>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (isClosing(request.socket)) return;
    markClosing(request.socket);
    served.set(request.socket, request);
    response.setHeader("connection", "close");
    const [path = ""] = (request.url ?? "").slice(apiPrefix.length).split("?", 1);
    serveBelow(request, response, path);
  };

  // Never listens: its connections are given to it. A head written out again may be longer than it came, by a blank for each header.
  const server = createServer({ maxHeaderSize: 16 * 1024, requireHostHeader: false, requestTimeout: 0 }, serve);
  server.on("checkContinue", serve).on("checkExpectation", serve);
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    // What follows a whole request is not read, and may begin in the middle of one: it must not cut the answer short.
    if (served.get(socket)?.complete === true && error.code?.startsWith("HPE_") === true) return;
    answerClientError(error, socket as Socket);
  });
  return (socket: Socket, received: Uint8Array): void => {
    socket.unshift(received);
    server.emit("connection", socket);
  };
}

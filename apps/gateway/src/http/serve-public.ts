import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type HttpServer, keepAliveTimeoutMs, serveHttp } from "@platform/kit/web/http";
import { createConnectionLimit } from "../admission-control/connection-limit.ts";
import { answerClientError } from "./client-error.ts";
import { isIdle } from "./send-answer.ts";

/** Uploads may last longer than Node's request timeout; files-svc enforces a minimum rate. */
export type LongUploads = {
  /** Exempts this request from the server's request timeout. */
  begin(request: IncomingMessage): void;
  /** Returns whether the error is only that timeout, on a connection with an upload. The connection then continues. */
  excuses(error: Error & { code?: string }, socket: Duplex): boolean;
};

export function createLongUploads(): LongUploads {
  const sockets = new WeakSet<Duplex>();
  return {
    begin: (request) => {
      const { socket } = request;
      sockets.add(socket);
      request.once("close", () => sockets.delete(socket));
    },
    excuses: (error, socket) => error.code === "ERR_HTTP_REQUEST_TIMEOUT" && sockets.has(socket),
  };
}

/**
 * Serves the public port: requests that Node's parser rejects get the error envelope, and no network can hold all
 * connections.
 */
export function servePublic(options: {
  readonly router: RequestListener;
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  /**
   * Idle time in milliseconds after which a connection is closed. It is at least the 5 s that the header `Keep-Alive`
   * promises to callers.
   */
  readonly keepAliveMs: number;
  /** The network a connection belongs to; null for a trusted proxy. */
  readonly networkOf: (socket: Socket) => string | null;
  readonly longUploads: LongUploads;
}): Promise<HttpServer> {
  const { router, host, port, connectionsMax, keepAliveMs, networkOf, longUploads } = options;
  return serveHttp(router, {
    host,
    port,
    maxConnections: connectionsMax,
    // A missing Host is refused by our own check, with the envelope.
    server: { requireHostHeader: false, keepAliveTimeoutBuffer: keepAliveMs - keepAliveTimeoutMs },
    configure: (server) => {
      server.on("connection", createConnectionLimit<Socket>({ connectionsMax, networkOf, isIdle }));
      server.on("clientError", (error, socket) => {
        if (!longUploads.excuses(error, socket)) answerClientError(error, socket as Socket);
      });
      // For an upload, the service sends 100 Continue once its token is claimed. For other requests it is sent immediately, as Node does.
      server.on("checkContinue", (request, response) => {
        if (request.method !== "PUT") response.writeContinue();
        router(request, response);
      });
      server.on("checkExpectation", router);
    },
  });
}

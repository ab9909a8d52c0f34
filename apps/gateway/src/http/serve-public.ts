import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type HttpServer, keepAliveTimeoutMs, serveHttp } from "@platform/kit/web/http";
import { createConnectionLimit } from "../admission-control/connection-limit.ts";
import { answerClientError } from "./client-error.ts";
import { isIdle } from "./send-answer.ts";

/** Uploads that may last longer than Node's request timeout. files-svc enforces a minimum rate for them. */
export type LongUploads = {
  /** Exempts this request from the server's request timeout. */
  begin(request: IncomingMessage): void;
  /**
   * Returns whether the error is only that timeout on a connection with an upload, in which case the connection
   * continues.
   */
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
 * Serves the public port. Requests that Node's parser rejects get the error envelope, and no network can use all
 * connections.
 */
export function servePublic(options: {
  readonly router: RequestListener;
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  /**
   * Milliseconds without a request after which a connection is closed. They must be at least the 5 s that the header
   * `Keep-Alive` promises to callers.
   */
  readonly keepAliveMs: number;
  /** Returns the network of a connection; null for a trusted proxy. */
  readonly networkOf: (socket: Socket) => string | null;
  readonly longUploads: LongUploads;
}): Promise<HttpServer> {
  const { router, host, port, connectionsMax, keepAliveMs, networkOf, longUploads } = options;
  return serveHttp(router, {
    host,
    port,
    maxConnections: connectionsMax,
    // The gateway itself rejects a missing Host, because Node's response would not be the error envelope.
    server: { requireHostHeader: false, keepAliveTimeoutBuffer: keepAliveMs - keepAliveTimeoutMs },
    configure: (server) => {
      server.on("connection", createConnectionLimit<Socket>({ connectionsMax, networkOf, isIdle }));
      server.on("clientError", (error, socket) => {
        if (!longUploads.excuses(error, socket)) answerClientError(error, socket as Socket);
      });
      // For an upload, files-svc sends 100 Continue once it has claimed the upload token. For any other request it is
      // sent immediately, as Node does by default.
      server.on("checkContinue", (request, response) => {
        if (request.method !== "PUT") response.writeContinue();
        router(request, response);
      });
      server.on("checkExpectation", router);
    },
  });
}

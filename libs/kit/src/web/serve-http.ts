import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { httpServerOptions, keepAliveTimeoutMs, limitConnections } from "../process/http-limits.ts";
import { createMutualTlsServer, type HttpTls } from "./mutual-tls.ts";

export type HttpServer = {
  readonly port: number;
  readonly server: Server | HttpsServer;
  /**
   * Ends each keep-alive connection with its next response, so that no request in transit is lost. `close` then waits
   * at most `lingerMs` for the connections to end.
   */
  drain(lingerMs?: number): void;
  /**
   * Stops accepting connections, closes idle ones, lets running requests finish for at most `graceMs`, then cuts them
   * off.
   */
  close(graceMs?: number): Promise<void>;
};

const drainMs = keepAliveTimeoutMs + 1_000;

/** Serves HTTP on host:port. Port 0 chooses a free one. */
export async function serveHttp(
  listener: RequestListener,
  options: {
    host: string;
    port: number;
    server?: ServerOptions;
    maxConnections?: number;
    configure?: (server: HttpServer["server"]) => void;
    /** Mutual TLS; absent for a port that serves plain HTTP. */
    tls?: HttpTls | undefined;
  },
): Promise<HttpServer> {
  const { tls } = options;
  const limits = { ...httpServerOptions, ...options.server };
  const server = tls === undefined ? createServer(limits) : createMutualTlsServer(limits, tls);
  server.on("request", listener);
  limitConnections(server, options.maxConnections ?? 10_000);
  options.configure?.(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  let drained: Promise<void> | null = null;
  return {
    server,
    port: (server.address() as AddressInfo).port,
    drain: (lingerMs = drainMs) => {
      drained ??= drainConnections(server, lingerMs);
    },
    close: async (graceMs = 10_000) => {
      await drained;
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

/** Sends `Connection: close` with every response from now on. Resolves when no connection is left or the time is over. */
function drainConnections(server: HttpServer["server"], lingerMs: number): Promise<void> {
  server.prependListener("request", (_request, response) => void response.setHeader("connection", "close"));
  const until = performance.now() + lingerMs;
  return new Promise((resolve) => {
    const look = (): void => {
      server.getConnections((_error, count) => {
        if (count === 0 || performance.now() >= until) resolve();
        else setTimeout(look, 50);
      });
    };
    look();
  });
}

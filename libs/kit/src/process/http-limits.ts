import type { Server, ServerOptions } from "node:http";
import type { Server as HttpsServer } from "node:https";

/**
 * Idle time-out that `Keep-Alive` announces to callers, in milliseconds. A draining server waits longer, so that
 * callers close idle connections first and no request in transit is lost.
 */
export const keepAliveTimeoutMs = 5_000;

/** Additional idle time in milliseconds, for proxies that have their own time-out (usually 60 s). */
const keepAliveTimeoutBuffer = 60_000;

/** Maximum number of requests on one connection. */
const requestsPerConnectionMax = 10_000;

/**
 * Limits of every HTTP port: slow and endless requests are cut off, and large headers are refused. Ports that stream
 * bytes override them.
 */
export const httpServerOptions: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: keepAliveTimeoutMs,
  keepAliveTimeoutBuffer,
  maxHeaderSize: 8 * 1024,
};

/** Sets the limits of a server that Node does not accept as options. */
export function limitConnections(server: Server | HttpsServer, maxConnections: number): void {
  server.maxHeadersCount = 64;
  server.maxRequestsPerSocket = requestsPerConnectionMax;
  server.maxConnections = maxConnections;
}

import type { Http2SecureServer } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Server } from "@grpc/grpc-js";
import type { Logger } from "../process/logger.ts";

/**
 * Logs why a client's TLS handshake was refused: no certificate, one of another authority, an expired one. grpc-js keeps its HTTP/2 servers
 * to itself and drops these errors; they are reached through its private field (1.14), which the tests of this file's callers would miss.
 */
export function logRefusedHandshakes(server: Server, logger: Logger): void {
  const { http2Servers } = server as unknown as { http2Servers?: ReadonlyMap<Http2SecureServer, unknown> };
  for (const http2Server of http2Servers?.keys() ?? []) {
    http2Server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      // The client broke off: it did not like our certificate, and its own log says why.
      const fault = socket.authorizationError as unknown as string | null;
      if (error.code === "ECONNRESET" && fault === null) return;
      const reason = fault ?? error.code ?? error.message;
      logger.warn({ reason: String(reason), address: socket.remoteAddress, err: error }, "client certificate refused");
    });
  }
}

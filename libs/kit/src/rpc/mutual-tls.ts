import type { Server, TLSSocket, TlsOptions } from "node:tls";
import type { Logger } from "../process/logger.ts";
import { type TlsFiles, watchCertificateFiles } from "./certificate-files.ts";

const handshakeMsMax = 10_000;

/**
 * Returns options with which a TLS server requires a certificate of the platform's authority from every client.
 * `attach` logs rejected clients and uses renewed files for later connections, until the server is closed.
 */
export function mutualTls(files: TlsFiles, logger: Logger): { options: TlsOptions; attach(server: Server): void } {
  let attached: Server | undefined;
  const watched = watchCertificateFiles(files, (error, pems) => {
    if (error !== null)
      return logger.error({ err: error }, "the renewed certificates are unusable; the process keeps the old ones");
    attached?.setSecureContext({ ...pems });
    logger.info("the certificates were renewed");
  });
  return {
    options: { ...watched.first, requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMsMax },
    attach: (server) => {
      attached = server;
      server.once("close", () => watched.stop());
      server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
        // If the client rejected the server's certificate, only the client knows why, and its own log contains the
        // reason.
        const fault = socket.authorizationError as unknown as string | null;
        if (error.code === "ECONNRESET" && fault === null) return;
        const reason = fault ?? error.code ?? error.message;
        logger.warn(
          { reason: String(reason), address: socket.remoteAddress, err: error },
          "a client certificate was rejected",
        );
      });
    },
  };
}

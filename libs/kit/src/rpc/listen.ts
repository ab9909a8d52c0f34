import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { type Server, ServerCredentials } from "@grpc/grpc-js";
import type { Logger } from "../process/logger.ts";
import type { TlsSetting } from "./credentials.ts";
import { mutualTls } from "./mutual-tls.ts";

export type Listening = {
  readonly port: number;
  /**
   * Accepts no new connections. Resolves when the existing ones are closed; the server closes each connection once its
   * calls have ended.
   */
  stop(): Promise<void>;
  /** Closes the remaining connections immediately. */
  cut(): void;
};

type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsSetting;
  readonly logger: Logger;
};

/**
 * Starts to listen with a gRPC server. With TLS, Node's own TLS server performs the handshake and passes the connection
 * to grpc-js. Clients must therefore present a certificate of the platform's authority, rejected clients are logged,
 * and renewed files apply to later connections.
 */
export async function listen(server: Server, { host, port, tls, logger }: ListenOptions): Promise<Listening> {
  if (tls === null || tls === "plaintext") {
    const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    return new Promise((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve({ port: bound, stop: async () => {}, cut: () => {} }) : reject(error),
      );
    });
  }
  const { options, attach } = mutualTls(tls, logger);
  const tlsServer = createServer({ ...options, ALPNProtocols: ["h2"] });
  attach(tlsServer);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  let isStopped = false;
  const sockets = new Set<TLSSocket>();
  tlsServer.on("secureConnection", (socket) => {
    // Without this check, grpc-js would serve a connection that it receives while it shuts down.
    if (isStopped) return socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    tlsServer.once("error", reject);
    tlsServer.listen(port, host, resolve);
  });
  return {
    port: (tlsServer.address() as AddressInfo).port,
    stop: () => {
      isStopped = true;
      // Waits for the open connections. grpc-js does not, because Node's HTTP/2 server is already closing them.
      return new Promise((resolve) => tlsServer.close(() => resolve()));
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

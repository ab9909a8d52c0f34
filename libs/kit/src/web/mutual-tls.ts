import type { RequestOptions, ServerOptions } from "node:http";
import { Agent, type AgentOptions, createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, type PeerCertificate, TLSSocket } from "node:tls";
import type { Logger } from "../process/logger.ts";
import { type CallerName, callerOf } from "../rpc/caller-identity.ts";
import { trustedFiles } from "../rpc/certificate-files.ts";
import type { TlsFiles } from "../rpc/credentials.ts";
import { mutualTls } from "../rpc/mutual-tls.ts";

/** Mutual TLS of an HTTP port between processes. */
export type HttpTls = {
  readonly files: TlsFiles;
  /** Permitted clients, by the name in the certificate. */
  readonly callers: readonly CallerName[];
  /**
   * True to serve clients without TLS as well, which is needed while callers of a version without TLS are being
   * replaced.
   */
  readonly isPlaintextServed: boolean;
  readonly logger: Logger;
};

/**
 * Creates an HTTP server to which only the given callers may connect. Others are disconnected before any byte of a
 * request is read.
 */
export function createMutualTlsServer(serverOptions: ServerOptions, tls: HttpTls): Server {
  const { files, callers, isPlaintextServed, logger } = tls;
  const { options, attach } = mutualTls(files, logger);
  const server = createServer({ ...serverOptions, ...options, ALPNProtocols: ["http/1.1"] });
  attach(server);
  server.prependListener("secureConnection", (socket) => {
    if (!(socket instanceof TLSSocket)) return;
    const caller = callerOf(socket.getPeerCertificate());
    if ((callers as readonly string[]).includes(caller)) return;
    logger.warn({ caller, address: socket.remoteAddress }, "a client certificate was rejected");
    socket.destroy();
  });
  if (isPlaintextServed) servePlaintextToo(server, serverOptions.headersTimeout ?? firstByteMsMax);
  return server;
}

/** First byte of a TLS connection (RFC 8446, 5.1); no method of HTTP begins with it. */
const handshakeRecord = 22;

/**
 * Longest wait for a connection's first byte, in milliseconds. No server knows the connection before that byte arrives,
 * so nothing else would close it.
 */
const firstByteMsMax = 10_000;

/** Passes connections that start without a handshake to the same HTTP server. */
function servePlaintextToo(server: Server, firstByteMs: number): void {
  const handshakes = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const endSilent = setTimeout(() => socket.destroy(), firstByteMs);
    socket.once("error", () => socket.destroy());
    socket.once("close", () => clearTimeout(endSilent));
    socket.once("readable", () => {
      clearTimeout(endSilent);
      const first = socket.read(1) as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      if (first[0] === handshakeRecord) for (const handshake of handshakes) handshake.call(server, socket);
      else server.emit("secureConnection", socket as TLSSocket);
    });
  });
}

/**
 * An agent that presents the platform's certificate and only connects to the process named `server`, regardless of its
 * host name. Renewed files are used from the next connection on.
 */
export class MutualTlsAgent extends Agent {
  readonly #files: ReturnType<typeof trustedFiles>;

  constructor(files: TlsFiles, server: CallerName, options: AgentOptions) {
    super({
      ...options,
      // No sessions are cached, because a resumed session would keep its original certificates.
      maxCachedSessions: 0,
      checkServerIdentity: (_host, certificate) => namesServer(certificate, server),
    });
    this.#files = trustedFiles(files);
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    return super.createConnection(
      { ...options, secureContext: createSecureContext(this.#files.read()) } as RequestOptions,
      callback,
    );
  }
}

function namesServer(certificate: PeerCertificate, server: CallerName): Error | undefined {
  const name = callerOf(certificate);
  return name === server ? undefined : new Error(`${server} was called, but the certificate is of "${name}"`);
}

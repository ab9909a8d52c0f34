import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Certificate } from "../certificate.ts";
import type { SinkState } from "../faults/settle-attempt.ts";
import { createReturnReports } from "./return-reports.ts";
import { smtpHandlers } from "./smtp-handlers.ts";

const messageBytesMax = 25 * 1024 * 1024;
/**
 * Idle time after which a connection is closed. It is longer than the longest delay of a fault, because a client that waits for a delayed reply is not idle.
 */
const idleMsMax = 15 * 60 * 1000;
/** TLS record: fatal alert handshake_failure (RFC 8446 §6.2). */
const handshakeFailureAlert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

export type SmtpListeners = { port: number; securePort: number; close: () => Promise<void> };

/**
 * Starts two listeners: submission with STARTTLS, and implicit TLS (RFC 8314). The sockets are accepted here and then passed to smtp-server, because dropping
 * a connection or making its TLS handshake fail requires access to its socket.
 */
export async function startSmtpListeners(
  state: SinkState,
  options: {
    port: number;
    securePort: number;
    certificate: Certificate;
    hasSmtpUtf8: boolean;
    reportPort: number | null;
  },
): Promise<SmtpListeners> {
  const sockets = new Map<string, net.Socket>();
  const reports = createReturnReports(options.reportPort);
  const handlers = smtpHandlers(state, reports, (sessionId) => sockets.get(sessionId)?.destroy());
  const base: SMTPServerOptions = {
    ...handlers,
    ...options.certificate,
    name: "provider-sink",
    banner: "Provider sink",
    size: messageBytesMax,
    // Real servers accept quoted local parts with two dots in a row; the library's strict parser does not.
    lenientAddressParsing: true,
    hideSMTPUTF8: !options.hasSmtpUtf8,
    authMethods: ["PLAIN", "LOGIN"],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    socketTimeout: idleMsMax,
  };
  const plain = new SMTPServer(base);
  const secured = new SMTPServer({ ...base, secure: true, secured: true });
  // This server offers only TLS 1.1, like an outdated one. It replies 220, and then the handshake fails.
  const outdated = new SMTPServer({ ...base, minVersion: "TLSv1.1", maxVersion: "TLSv1.1" });
  for (const server of [plain, secured, outdated]) server.on("error", () => undefined);

  let connections = 0;
  const track = (socket: net.Socket): string => {
    connections += 1;
    const id = `smtp-${connections}`;
    sockets.set(id, socket);
    socket.on("close", () => sockets.delete(id));
    socket.on("error", () => socket.destroy());
    return id;
  };
  const tlsFails = () => state.faults.take("email", "tls") !== null;
  const starttls = net.createServer((socket) => {
    (tlsFails() ? outdated : plain).connect(socket, { id: track(socket) });
  });
  const terminator = tls.createServer({ ...options.certificate }, (socket) => {
    secured.connect(socket, { id: track(socket) });
  });
  terminator.on("tlsClientError", () => undefined);
  const smtps = net.createServer((socket) => {
    if (!tlsFails()) {
      terminator.emit("connection", socket);
      return;
    }
    track(socket);
    socket.once("data", () => socket.end(handshakeFailureAlert));
  });
  await Promise.all([listen(starttls, options.port), listen(smtps, options.securePort)]);
  return {
    port: (starttls.address() as AddressInfo).port,
    securePort: (smtps.address() as AddressInfo).port,
    close: async () => {
      reports.close();
      const closed = [starttls, smtps].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets.values()) socket.destroy();
      await Promise.all(closed);
    },
  };
}

async function listen(server: net.Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

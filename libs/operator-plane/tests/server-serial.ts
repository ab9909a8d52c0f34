import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect as tlsConnect } from "node:tls";
import type { TlsFiles } from "@platform/kit/rpc/client";
import type { GrpcServer } from "@platform/kit/rpc/server";

/** Returns the serial number of the certificate that the server presents to a new connection. */
export async function serverSerial(server: GrpcServer, files: TlsFiles): Promise<string> {
  const socket = tlsConnect({
    host: "localhost",
    port: server.port,
    ca: await readFile(files.caPath),
    cert: await readFile(files.certPath),
    key: await readFile(files.keyPath),
    ALPNProtocols: ["h2"],
  });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

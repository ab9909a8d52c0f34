import { readFileSync } from "node:fs";
import { type ChannelCredentials, credentials, ServerCredentials } from "@grpc/grpc-js";

/** PEM files of mutual TLS; null means plain text, for one machine's loopback only. */
export type TlsFiles = {
  readonly caPath: string;
  readonly certPath: string;
  readonly keyPath: string;
};

/** Credentials a gRPC server listens with: with TLS, clients must present a certificate of our authority. */
export function serverCredentials(tls: TlsFiles | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const pair = {
    private_key: readFileSync(tls.keyPath),
    cert_chain: readFileSync(tls.certPath),
  };
  return ServerCredentials.createSsl(readFileSync(tls.caPath), [pair], true);
}

/** Credentials a gRPC client connects with. */
export function channelCredentials(tls: TlsFiles | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  return credentials.createSsl(readFileSync(tls.caPath), readFileSync(tls.keyPath), readFileSync(tls.certPath));
}

import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import {
  type ChannelCredentials,
  type ChannelOptions,
  credentials,
  experimental,
  ServerCredentials,
} from "@grpc/grpc-js";
import { type CertificatesChanged, type TlsFiles, watchCertificateFiles } from "./certificate-files.ts";

export type { TlsFiles } from "./certificate-files.ts";

/**
 * Credentials a gRPC server listens with. With TLS, clients must present a certificate of our authority; renewed files are taken over
 * for the next connections while the present ones go on.
 */
export function serverCredentials(tls: TlsFiles | null, onChange?: CertificatesChanged): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const files = watchCertificateFiles(tls, onChange);
  return experimental.createCertificateProviderServerCredentials(files, files, true);
}

/**
 * Credentials a gRPC client connects with; renewed files are used from the next connection on.
 * @param address who is called, as `connectGrpc` takes it: the server's certificate must name it
 */
export function channelCredentials(
  tls: TlsFiles | null,
  address: string,
): { credentials: ChannelCredentials; options: ChannelOptions } {
  if (tls === null) return { credentials: credentials.createInsecure(), options: {} };
  const files = watchCertificateFiles(tls);
  const ips = address.split(",").map((one) => one.replace(/:\d+$/, ""));
  if (!ips.every((ip) => isIP(ip) !== 0)) {
    return { credentials: experimental.createCertificateProviderChannelCredentials(files, files), options: {} };
  }
  // grpc-js asks for the host as server name, and TLS has none for an address (RFC 6066, 3): any name is sent, the addresses are checked.
  const verify = {
    checkServerIdentity: (_name: string, certificate: PeerCertificate) => {
      const faults = ips.map((ip) => checkServerIdentity(ip, certificate));
      return faults.includes(undefined) ? undefined : faults[0];
    },
  };
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(files, files, verify),
    options: { "grpc.ssl_target_name_override": "localhost" },
  };
}

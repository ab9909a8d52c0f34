import { type ChannelCredentials, credentials, experimental, ServerCredentials } from "@grpc/grpc-js";
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

/** Credentials a gRPC client connects with; renewed files are used from the next connection on. */
export function channelCredentials(tls: TlsFiles | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  const files = watchCertificateFiles(tls);
  return experimental.createCertificateProviderChannelCredentials(files, files);
}

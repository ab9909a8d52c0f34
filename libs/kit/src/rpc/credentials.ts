import { isIP } from "node:net";
import { checkServerIdentity, createSecureContext, type PeerCertificate } from "node:tls";
import { type ChannelCredentials, type ChannelOptions, credentials } from "@grpc/grpc-js";
import { type TlsFiles, trustedFiles } from "./certificate-files.ts";

export type { TlsFiles } from "./certificate-files.ts";

/**
 * How connections are protected: by the files of mutual TLS, or by nothing. Null allows plain text on loopback only.
 * `plaintext` allows it everywhere; an operator must configure that.
 */
export type TlsSetting = TlsFiles | "plaintext" | null;

/** Throws if plain text would leave loopback without the operator's permission. `run` prints the error. */
export function assertPlaintextIsLocal(tls: TlsSetting, doing: string, hosts: readonly string[]): void {
  const far = tls === null ? hosts.find((host) => !isLoopback(host)) : undefined;
  if (far === undefined) return;
  throw new Error(
    `bad configuration\n  GRPC_PLAINTEXT_BEYOND_LOOPBACK: ${doing} ${far} would be plain text beyond loopback; set ` +
      "GRPC_TLS_CA, GRPC_TLS_CERT and GRPC_TLS_KEY, or GRPC_PLAINTEXT_BEYOND_LOOPBACK=allow",
  );
}

/** Returns whether the host is certainly this machine. A name other than localhost may resolve to any machine. */
function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? /^(.+\.)?localhost\.?$/i.test(host) : /^(127\.|::1$|::ffff:127\.)/i.test(host);
}

/**
 * Creates credentials for connections to a host, which the certificate must name. Renewed files are used for all later
 * connections.
 */
export function channelCredentials(
  tls: TlsSetting,
): (host: string) => { credentials: ChannelCredentials; options: ChannelOptions } {
  if (tls === null || tls === "plaintext") return () => ({ credentials: credentials.createInsecure(), options: {} });
  const files = trustedFiles(tls);
  return (host) => {
    const context = createSecureContext(files.read());
    if (isIP(host) === 0) {
      return {
        credentials: credentials.createFromSecureContext(context),
        options: { "grpc.ssl_target_name_override": host, "grpc.default_authority": host },
      };
    }
    // An IP address cannot be the server name in TLS (RFC 6066, 3), but grpc-js requires a server name. A placeholder
    // is sent, and the certificate is checked against the address.
    const verify = {
      checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    };
    return {
      credentials: credentials.createFromSecureContext(context, verify),
      options: { "grpc.ssl_target_name_override": "localhost" },
    };
  };
}

import { X509Certificate } from "node:crypto";
import { Gauge, type Registry } from "@prometheus-io/client";
import { trustedFiles } from "./certificate-files.ts";
import type { TlsSetting } from "./credentials.ts";

/**
 * Exports when the certificates that the process uses expire: its own and the authority's. Without TLS it exports
 * nothing.
 */
export function showCertificateExpiry(registry: Registry, tls: TlsSetting): void {
  if (tls === null || tls === "plaintext") return;
  const files = trustedFiles(tls);
  new Gauge({
    name: "platform_certificate_expiry_timestamp_seconds",
    help: "When a certificate of mutual TLS ends, in seconds since 1970.",
    labelNames: ["certificate"],
    registers: [registry],
    collect() {
      const { cert, ca } = files.read();
      this.set({ certificate: "own" }, endSeconds(cert));
      // While an authority is being replaced, the file contains the old and the new certificate. The metric is the
      // later expiry, because the old one may expire.
      this.set({ certificate: "authority" }, Math.max(...certificatesOf(ca).map(endSeconds)));
    },
  });
}

function certificatesOf(pem: Buffer): string[] {
  return pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function endSeconds(pem: Buffer | string): number {
  return new X509Certificate(pem).validToDate.getTime() / 1000;
}

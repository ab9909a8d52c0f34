import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";

/** PEM texts. The certificate is self-signed, so clients trust it by using `cert` as a CA. */
export type Certificate = { key: string; cert: string };

const validDays = 3650;

/**
 * Returns the sink's TLS certificate, for localhost and 127.0.0.1. If `directory` is given, the certificate is kept there, so that processes that trust it
 * continue to do so after the sink restarts.
 */
export async function loadCertificate(directory: string | undefined): Promise<Certificate> {
  if (directory === undefined) return makeCertificate();
  await mkdir(directory, { recursive: true });
  const keyPath = join(directory, "provider-sink-key.pem");
  const certPath = join(directory, "provider-sink-ca.pem");
  try {
    return { key: await readFile(keyPath, "utf8"), cert: await readFile(certPath, "utf8") };
  } catch {
    const certificate = await makeCertificate();
    await writeFile(keyPath, certificate.key, { mode: 0o600 });
    await writeFile(certPath, certificate.cert);
    return certificate;
  }
}

async function makeCertificate(): Promise<Certificate> {
  const notBeforeDate = new Date(Date.now() - 60_000);
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    // The key is on the curve P-256, because a handshake with RSA costs the sink ten times as much, and every SMTP connection performs one.
    keyType: "ec",
    curve: "P-256",
    algorithm: "sha256",
    notBeforeDate,
    notAfterDate: new Date(notBeforeDate.getTime() + validDays * 86_400_000),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", digitalSignature: true, keyCertSign: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

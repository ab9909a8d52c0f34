import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** PEM files of mutual TLS. */
export type TlsFiles = {
  readonly caPath: string;
  readonly certPath: string;
  readonly keyPath: string;
  /** Interval at which a server checks whether the files were renewed, in milliseconds. Default 10 s. */
  readonly reloadMs?: number;
};

export type Pems = { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

/**
 * Returns a reader of the certificates, which reads the files again at each call, so that rotation needs no restart. It
 * ignores an incomplete or mismatched set and keeps the last valid one. Throws if the first set cannot be used.
 */
export function trustedFiles(files: TlsFiles, onRefused: (error: Error) => void = () => {}): { read(): Pems } {
  let current = readUsable(files);
  return {
    read: () => {
      try {
        const next = readUsable(files);
        if (!isSame(next, current)) current = next;
      } catch (error) {
        onRefused(error as Error);
      }
      return current;
    },
  };
}

// The files are polled. Kubernetes renews a mounted secret by replacing a symbolic link, which file watching reports
// differently on each file system, whereas reading three small files works everywhere.
const reloadMsDefault = 10_000;

/**
 * Reports each new set of certificates until the watch is stopped.
 * @param onChange receives null as `error` for a new set, otherwise the reason why the old set stays in use; the same
 * error is reported once
 */
export function watchCertificateFiles(
  files: TlsFiles,
  onChange: (error: Error | null, pems: Pems) => void,
): { readonly first: Pems; stop(): void } {
  let told = "";
  const trusted = trustedFiles(files, (error) => {
    if (told !== error.message) onChange(error, current);
    told = error.message;
  });
  let current = trusted.read();
  const first = current;
  const timer = setInterval(() => {
    const next = trusted.read();
    if (next === current) return;
    current = next;
    told = "";
    onChange(null, current);
  }, files.reloadMs ?? reloadMsDefault).unref();
  return { first, stop: () => clearInterval(timer) };
}

function readUsable({ caPath, certPath, keyPath }: TlsFiles): Pems {
  const pems = { ca: readFileSync(caPath), cert: readFileSync(certPath), key: readFileSync(keyPath) };
  new X509Certificate(pems.ca);
  if (!new X509Certificate(pems.cert).checkPrivateKey(createPrivateKey(pems.key))) {
    throw new Error("the certificate and the private key do not belong together");
  }
  return pems;
}

const isSame = (a: Pems, b: Pems): boolean => a.ca.equals(b.ca) && a.cert.equals(b.cert) && a.key.equals(b.key);

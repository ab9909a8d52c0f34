import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { experimental } from "@grpc/grpc-js";

/** PEM files of mutual TLS; null means plain text, for one machine's loopback only. */
export type TlsFiles = {
  readonly caPath: string;
  readonly certPath: string;
  readonly keyPath: string;
  /** How often the files are looked at for renewal, in milliseconds. Default 10 s. */
  readonly reloadMs?: number;
};

/** What is told when the files changed: `error` is null when the new ones are in use, else why the old ones stay. */
export type CertificatesChanged = (error: Error | null) => void;

type Pems = { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

// Kubernetes renews a mounted secret by swapping a symbolic link, which file watching sees differently on each file system; reading
// three small files is as good and the same everywhere.
const reloadMsDefault = 10_000;

/**
 * Certificates that are read again when their files change, so that rotation needs no restart. A half-written or mismatched set is not
 * taken over: what worked stays in use until the files are whole (grpc-js's own file watcher would drop every connection meanwhile).
 * Throws when the first set cannot be used.
 */
export function watchCertificateFiles(
  files: TlsFiles,
  onChange: CertificatesChanged = () => {},
): experimental.CertificateProvider {
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  let current: Pems = {
    ca: readFileSync(files.caPath),
    cert: readFileSync(files.certPath),
    key: readFileSync(files.keyPath),
  };
  assertUsable(current);
  let timer: NodeJS.Timeout | null = null;
  let isReading = false;
  let refused: Pems | null = null;

  const reload = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      const [ca, cert, key] = await Promise.all([
        readFile(files.caPath),
        readFile(files.certPath),
        readFile(files.keyPath),
      ]);
      const next = { ca, cert, key };
      if (isSame(next, current) || (refused !== null && isSame(next, refused))) return;
      refused = next;
      assertUsable(next);
      refused = null;
      current = next;
      for (const listener of identityListeners) listener(identityOf(current));
      for (const listener of caListeners) listener({ caCertificate: current.ca });
      onChange(null);
    } catch (error) {
      onChange(error as Error);
    } finally {
      isReading = false;
    }
  };
  const watchWhileListened = (): void => {
    const isListened = caListeners.size + identityListeners.size > 0;
    if (isListened && timer === null) {
      timer = setInterval(() => void reload(), files.reloadMs ?? reloadMsDefault).unref();
    } else if (!isListened && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };

  return {
    addCaCertificateListener: (listener) => {
      caListeners.add(listener);
      watchWhileListened();
      // grpc-js registers its own watcher only after this call returns.
      process.nextTick(() => listener({ caCertificate: current.ca }));
    },
    removeCaCertificateListener: (listener) => {
      caListeners.delete(listener);
      watchWhileListened();
    },
    addIdentityCertificateListener: (listener) => {
      identityListeners.add(listener);
      watchWhileListened();
      process.nextTick(() => listener(identityOf(current)));
    },
    removeIdentityCertificateListener: (listener) => {
      identityListeners.delete(listener);
      watchWhileListened();
    },
  };
}

const identityOf = (pems: Pems) => ({ certificate: pems.cert, privateKey: pems.key });

const isSame = (a: Pems, b: Pems): boolean => a.ca.equals(b.ca) && a.cert.equals(b.cert) && a.key.equals(b.key);

function assertUsable(pems: Pems): void {
  new X509Certificate(pems.ca);
  if (!new X509Certificate(pems.cert).checkPrivateKey(createPrivateKey(pems.key))) {
    throw new Error("the certificate and the private key do not belong together");
  }
}

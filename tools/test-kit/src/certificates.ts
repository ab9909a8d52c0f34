import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";

/** PEM texts of a certificate and its key. */
export type TestCertificate = { readonly cert: string; readonly key: string };

/** A certificate authority for one test. */
export type TestAuthority = TestCertificate & {
  /**
   * Issues a certificate for localhost and 127.0.0.1, for server and client.
   * @param name name of the caller in `spiffe://platform/<name>`
   * @param validMs validity from now in milliseconds; negative for an expired certificate
   */
  issue(name: string, validMs?: number): Promise<TestCertificate>;
};

const hourMs = 3_600_000;
const keys = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;

/** Creates a certificate authority. */
export async function createTestAuthority(name = "test authority"): Promise<TestAuthority> {
  const made = await generate([{ name: "commonName", value: name }], {
    ...keys,
    notBeforeDate: new Date(Date.now() - 2 * hourMs),
    notAfterDate: new Date(Date.now() + 24 * hourMs),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { cert: made.cert, key: made.private };
  return {
    ...ca,
    issue: async (caller, validMs = hourMs) => {
      const issued = await generate([{ name: "commonName", value: caller }], {
        ...keys,
        ca,
        notBeforeDate: new Date(Date.now() - hourMs),
        notAfterDate: new Date(Date.now() + validMs),
        extensions: [
          { name: "basicConstraints", cA: false },
          { name: "keyUsage", digitalSignature: true },
          { name: "extKeyUsage", serverAuth: true, clientAuth: true },
          {
            name: "subjectAltName",
            altNames: [
              { type: 2, value: "localhost" },
              { type: 7, ip: "127.0.0.1" },
              { type: 6, value: `spiffe://platform/${caller}` },
            ],
          },
        ],
      });
      return { cert: issued.cert, key: issued.private };
    },
  };
}

/** Writes the three files of mutual TLS into a folder, each replaced in one step, and returns their paths. */
export async function writeTlsFiles(directory: string, authorities: readonly TestCertificate[], own: TestCertificate) {
  await mkdir(directory, { recursive: true });
  const files = {
    caPath: join(directory, "ca.crt"),
    certPath: join(directory, "tls.crt"),
    keyPath: join(directory, "tls.key"),
  };
  const replace = async (path: string, text: string): Promise<void> => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  await replace(files.caPath, authorities.map(({ cert }) => cert).join("\n"));
  await replace(files.keyPath, own.key);
  await replace(files.certPath, own.cert);
  return files;
}

/**
 * Issues a certificate to each named process of a platform.
 * @returns the variables that name the files of one of them
 */
export async function issuePlatformCertificates(
  directory: string,
  names: readonly string[],
): Promise<(name: string) => Readonly<Record<string, string>>> {
  const authority = await createTestAuthority();
  const variables = new Map<string, Record<string, string>>();
  for (const name of names) {
    const issued = await authority.issue(name);
    const { caPath, certPath, keyPath } = await writeTlsFiles(join(directory, name), [authority], issued);
    variables.set(name, { GRPC_TLS_CA: caPath, GRPC_TLS_CERT: certPath, GRPC_TLS_KEY: keyPath });
  }
  return (name) => variables.get(name) ?? {};
}

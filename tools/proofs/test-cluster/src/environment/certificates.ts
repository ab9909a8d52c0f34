import type { KubernetesObject } from "@platform/checks/manifests/render-overlay";
import { generate } from "selfsigned";

type Pem = { readonly cert: string; readonly key: string };

const keys = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;
const hourMs = 3_600_000;

/** Replaces cert-manager, which does not run here, for the Certificates of an environment. */
export type Issuer = {
  /** Returns the Secret of each Certificate, newly issued. */
  secretsOf(objects: readonly KubernetesObject[]): Promise<KubernetesObject[]>;
};

export async function createIssuer(): Promise<Issuer> {
  const made = await generate([{ name: "commonName", value: "platform-ca" }], {
    ...keys,
    notBeforeDate: new Date(Date.now() - hourMs),
    notAfterDate: new Date(Date.now() + 24 * hourMs),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const authority: Pem = { cert: made.cert, key: made.private };
  return {
    secretsOf: (objects) =>
      Promise.all(
        objects
          .filter(({ kind, spec }) => kind === "Certificate" && spec.isCA !== true)
          .map((certificate) => secretOf(certificate, authority)),
      ),
  };
}

async function secretOf({ metadata, spec }: KubernetesObject, authority: Pem): Promise<KubernetesObject> {
  const usages: readonly string[] = spec.usages;
  const issued = await generate([{ name: "commonName", value: spec.commonName }], {
    ...keys,
    ca: authority,
    notBeforeDate: new Date(Date.now() - hourMs),
    notAfterDate: new Date(Date.now() + 12 * hourMs),
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      { name: "extKeyUsage", serverAuth: usages.includes("server auth"), clientAuth: usages.includes("client auth") },
      {
        name: "subjectAltName",
        altNames: [
          ...((spec.dnsNames ?? []) as string[]).map((value) => ({ type: 2 as const, value })),
          ...((spec.uris ?? []) as string[]).map((value) => ({ type: 6 as const, value })),
        ],
      },
    ],
  });
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: spec.secretName, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
    data: { "ca.crt": encoded(authority.cert), "tls.crt": encoded(issued.cert), "tls.key": encoded(issued.private) },
  };
}

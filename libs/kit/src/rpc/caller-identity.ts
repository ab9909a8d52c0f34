import type { PeerCertificate } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import type { ServerCall } from "./server-call.ts";
import { ServiceError } from "./service-error.ts";
import { serviceNames } from "./service-names.ts";

/** The services, as their certificates name them. Server and worker have the same certificate. */
export const serviceCallers = serviceNames.map((name) => `${name}-svc` as const);

/** The processes that call services, as their certificates name them. */
export type CallerName =
  | "gateway"
  | (typeof serviceCallers)[number]
  | "operator"
  | "console"
  | "consumer"
  | "ad-server";

const uriPrefix = "spiffe://platform/";

/**
 * Returns the caller that a certificate was issued to: the name in its only URI, `spiffe://platform/<name>`; empty if
 * there is none. A common name does not count, because an authority that issues certificates for other purposes lets
 * their holders choose it.
 */
export function callerOf(certificate: PeerCertificate | undefined): string {
  const uris = (certificate?.subjectaltname ?? "")
    .split(", ")
    .filter((entry) => entry.startsWith("URI:"))
    .map((entry) => entry.slice("URI:".length));
  const [uri] = uris;
  // A certificate with two URIs names two callers, so neither is accepted.
  return uris.length === 1 && uri?.startsWith(uriPrefix) === true ? uri.slice(uriPrefix.length) : "";
}

/** Admits only the named callers. Plain text, which stays on loopback, cannot identify callers, so all are admitted. */
export function callerGuard(
  ...allowed: readonly CallerName[]
): (method: DescMethod, call: Pick<ServerCall, "caller">) => undefined {
  return (_method, { caller }) => {
    if (caller !== null && !(allowed as readonly string[]).includes(caller)) {
      throw new ServiceError("unauthenticated", "The caller's certificate does not allow this call.");
    }
    return undefined;
  };
}

import type { PeerCertificate } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import type { ServerCall } from "./server-call.ts";
import { ServiceError } from "./service-error.ts";
import { serviceNames } from "./service-names.ts";

/** The names of the services in their certificates. Server and worker have the same certificate. */
export const serviceCallers = serviceNames.map((name) => `${name}-svc` as const);

/** The names, in their certificates, of the processes that call services. */
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
  // A certificate with two URIs would name two callers, so such a certificate names none.
  return uris.length === 1 && uri?.startsWith(uriPrefix) === true ? uri.slice(uriPrefix.length) : "";
}

/**
 * Returns the guard that admits only the named callers. Plain text, which is limited to loopback, cannot identify
 * callers, so all of them are admitted.
 */
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

import type { PeerCertificate } from "node:tls";
import { expect, test } from "vitest";
import { callerOf } from "./caller-identity.ts";

const certificate = (commonName: string, subjectaltname?: string): PeerCertificate =>
  ({ subject: { CN: commonName }, subjectaltname }) as unknown as PeerCertificate;

test("reads the caller from the certificate's URI", () => {
  const names = "DNS:localhost, IP Address:127.0.0.1, URI:spiffe://platform/gateway";
  expect(callerOf(certificate("anything", names))).toBe("gateway");
});

test("identifies no caller by a certificate that names it only in its common name", () => {
  expect(callerOf(certificate("gateway"))).toBe("");
  expect(callerOf(certificate("operator", "DNS:operator"))).toBe("");
});

test("identifies no caller by a certificate with two URIs, or with a URI of another trust domain", () => {
  const both = "URI:spiffe://platform/gateway, URI:spiffe://platform/operator";
  expect(callerOf(certificate("gateway", both))).toBe("");
  expect(callerOf(certificate("gateway", "URI:spiffe://elsewhere/gateway"))).toBe("");
  expect(callerOf(undefined)).toBe("");
});

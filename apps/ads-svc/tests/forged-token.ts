import { createHmac } from "node:crypto";
import type { CryptoKey, JWTPayload } from "jose";
import { SignJWT } from "jose";

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString());

/** Reads the header and the claims of a token without verifying it. */
export function readToken(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header, claims] = token.split(".");
  return { header: decode(header), claims: decode(claims) };
}

/** Replaces the header or the claims of a token, and keeps its signature. */
export function tamper(token: string, change: { header?: object; claims?: object }): string {
  const { header, claims } = readToken(token);
  const signature = token.split(".")[2];
  return `${encode({ ...header, ...change.header })}.${encode({ ...claims, ...change.claims })}.${signature}`;
}

/** Creates an unsigned token (RFC 7515, appendix A.5) with the claims of the given one. */
export function unsigned(token: string, algorithmName = "none"): string {
  const { header, claims } = readToken(token);
  return `${encode({ ...header, alg: algorithmName })}.${encode(claims)}.`;
}

/** Creates a token that is signed with HMAC, with the bytes of a public key as the shared secret (RFC 8725, 2.1). */
export function hmacSigned(token: string, secret: string | Buffer): string {
  const { header, claims } = readToken(token);
  const input = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

/** Creates a token that is correctly signed, but with the forger's own key. */
export function signedWith(privateKey: CryptoKey, header: Record<string, unknown>, claims: object): Promise<string> {
  return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: "EdDSA", ...header }).sign(privateKey);
}

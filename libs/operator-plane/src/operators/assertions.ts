import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import type { Keyring } from "@platform/kit/process/secrets";
import { isRoleName, type Operator, type RoleName } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  errors,
  exportJWK,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { readReason } from "./read-reason.ts";

const algorithm = "EdDSA";
const type = "operator+jwt";
const issuer = "identity-svc";
const audience = "operator-plane";

/** How long an assertion is accepted after it was signed, in seconds. */
export const assertionSeconds = 600;

/** PKCS #8 encoding of an Ed25519 key, without the 32-byte seed at its end (RFC 8410, 7). */
const ed25519Pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Contents of an assertion. */
export type AssertionClaims = {
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** Id of the session for which the assertion is issued. Services check the state of the session at each call. */
  readonly sessionId: string;
  /** Time at which the person authenticated. */
  readonly signedInAt: Date;
  readonly reason: string | null;
  readonly requestId: string | null;
  /** The program that calls on behalf of the operator; absent if the operator calls directly. */
  readonly via?: string | null;
  /** The only Project Client that calls may concern; absent if all are permitted. */
  readonly onlyClientId?: string | null;
};

/** Signs assertions, and publishes the keys that verify them. */
export type AssertionSigner = {
  /** @returns the JWT and its expiry */
  sign(claims: AssertionClaims, now: Date): Promise<{ assertion: string; expiresAt: Date }>;
  readonly keys: JSONWebKeySet;
};

/**
 * Creates a signer. Its keys are derived from the service key, so that every process of identity-svc has the same ones,
 * and a new service key results in a new signing key.
 */
export async function createAssertionSigner(keyring: Keyring): Promise<AssertionSigner> {
  const pairs = await Promise.all([keyring.current, ...keyring.previous].map(deriveKey));
  const [signing] = pairs;
  if (signing === undefined) throw new Error("a keyring has a current key");
  return {
    keys: { keys: pairs.map(({ jwk }) => jwk) },
    sign: async ({ subject, name, roles, sessionId, signedInAt, reason, requestId, via, onlyClientId }, now) => {
      const expiresAt = new Date(now.getTime() + assertionSeconds * 1000);
      const claims: JWTPayload = {
        name,
        roles: [...roles],
        sid: sessionId,
        auth_time: Math.floor(signedInAt.getTime() / 1000),
        ...defined({ reason, rid: requestId, via, only_client: onlyClientId }),
      };
      const assertion = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: type, kid: signing.jwk.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(now)
        .setExpirationTime(expiresAt)
        .sign(signing.key);
      return { assertion, expiresAt };
    },
  };
}

async function deriveKey(
  serviceKey: Uint8Array,
): Promise<{ key: KeyObject; jwk: { kid: string } & JSONWebKeySet["keys"][0] }> {
  const seed = Buffer.from(hkdfSync("sha256", serviceKey, "", "operator-assertions", 32));
  const key = createPrivateKey({ key: Buffer.concat([ed25519Pkcs8, seed]), format: "der", type: "pkcs8" });
  const jwk = await exportJWK(createPublicKey(key));
  return { key, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: algorithm, use: "sig" } };
}

/**
 * Returns the cached keys. `isRenewed` is true if none of them has signed an assertion, so that they have to be read
 * again.
 */
export type OperatorKeys = (isRenewed: boolean) => Promise<JSONWebKeySet>;

/**
 * Returns the operator of an assertion. Memberships are not included; they are read together with the state of the
 * session.
 * @throws ServiceError unauthenticated if identity-svc did not sign the assertion for this purpose, or if it was
 * altered or has expired
 */
export async function verifyAssertion(assertion: string, keys: OperatorKeys, now: Date): Promise<Operator> {
  const verify = async (isRenewed: boolean): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(await keys(isRenewed)), {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: type,
      maxTokenAge: assertionSeconds,
      requiredClaims: ["sub", "name", "roles", "iat", "exp"],
      clockTolerance: 5,
      currentDate: now,
    });
    return payload;
  };
  try {
    return operatorOf(
      await verify(false).catch((error: unknown) => {
        if (error instanceof errors.JWKSNoMatchingKey) return verify(true);
        throw error;
      }),
    );
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refusal("The operator assertion has expired; sign in again.", error);
    if (error instanceof errors.JOSEError) throw refusal("The operator assertion is not valid; sign in again.", error);
    throw error;
  }
}

function operatorOf({
  sub,
  name,
  roles,
  reason,
  sid,
  auth_time: signedInAt,
  exp,
  via,
  only_client,
}: JWTPayload): Operator {
  const known = Array.isArray(roles) ? roles.filter(isRoleName) : [];
  if (typeof sub !== "string" || typeof name !== "string" || exp === undefined)
    throw refusal("The operator assertion names nobody.");
  return {
    subject: sub,
    name,
    roles: known,
    memberships: [],
    reason: readReason(typeof reason === "string" ? reason : undefined),
    isBreakGlass: false,
    sessionId: typeof sid === "string" ? sid : null,
    signedInAtMs: typeof signedInAt === "number" ? signedInAt * 1000 : null,
    expiresAtMs: exp * 1000,
    ...(typeof via === "string" ? { via } : {}),
    ...(typeof only_client === "string" ? { onlyClientId: only_client } : {}),
  };
}

const refusal = (message: string, cause?: unknown): ServiceError =>
  new ServiceError("unauthenticated", message, { cause });

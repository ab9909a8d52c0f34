import { dependencyUnavailable, ServiceError } from "@platform/service-kit/errors/service-error";
import { isRoleName, type RoleName } from "@platform/service-kit/grpc/operator";
import { hashToken } from "@platform/service-kit/secrets/token";
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";

/** How operators sign in: an OpenID Provider. */
export type OperatorSignInSettings = {
  readonly issuer: string;
  /** Clients of the provider whose ID tokens are taken; the first is that of platformctl. */
  readonly clientIds: readonly string[];
  /** Claim that lists a person's roles. */
  readonly rolesClaim: string;
  readonly scope: string;
};

/** The person an ID token names. */
export type SignedInPerson = { readonly subject: string; readonly name: string; readonly roles: readonly RoleName[] };

/** A verified ID token. */
export type VerifiedIdToken = {
  readonly person: SignedInPerson;
  /** SHA-256 (hex) of the statement that was signed, however its signature is written: the same for every form of one token. */
  readonly statementSha256: string;
};

/** Verifies an ID token. Throws unauthenticated, permission_denied for people without a role, dependency_unavailable. */
export type VerifyIdToken = (idToken: string, now: Date) => Promise<VerifiedIdToken>;

/** Greatest age of an ID token: it must prove a present sign-in. */
const idTokenSecondsMax = 600;
const providerMsMax = 5_000;

/** Asymmetric ones only: with a shared secret every client could forge ID tokens. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Verifies ID tokens of the provider, whose keys are discovered at the first one. */
export function createVerifyIdToken({ issuer, clientIds, rolesClaim }: OperatorSignInSettings): VerifyIdToken {
  let found: Promise<JWTVerifyGetKey> | null = null;
  const keys = (): Promise<JWTVerifyGetKey> => {
    found ??= discoverKeys(issuer).catch((error: unknown) => {
      found = null;
      throw dependencyUnavailable(error);
    });
    return found;
  };
  return async (idToken, now) => {
    if (!isCanonical(idToken)) throw invalid();
    const getKey = await keys();
    const { payload, protectedHeader } = await jwtVerify(idToken, getKey, {
      algorithms,
      issuer,
      audience: [...clientIds],
      maxTokenAge: idTokenSecondsMax,
      requiredClaims: ["sub", "iat", "exp"],
      clockTolerance: 5,
      currentDate: now,
    }).catch((error: unknown) => {
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
        throw dependencyUnavailable(error);
      throw invalid(error);
    });
    return {
      person: personOf(payload, { clientIds, rolesClaim }),
      statementSha256: hashToken(JSON.stringify([protectedHeader, payload])),
    };
  };
}

const invalid = (cause?: unknown): ServiceError =>
  new ServiceError("unauthenticated", "The ID token is not valid here; sign in again.", { cause });

/**
 * Is a token three parts of base64url in the one form that RFC 7515 has for them? Decoders also take white space, padding, and other values of the last
 * character's unused bits, so that one token would have many texts.
 */
function isCanonical(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function personOf(
  payload: JWTPayload,
  { clientIds, rolesClaim }: Pick<OperatorSignInSettings, "clientIds" | "rolesClaim">,
): SignedInPerson {
  const { sub: subject = "", azp, name, preferred_username: username } = payload;
  // A token for several audiences was issued to the one in `azp` (OpenID Connect Core, 3.1.3.7).
  if (azp !== undefined && !clientIds.includes(String(azp))) {
    throw new ServiceError("unauthenticated", "The ID token was issued to another application.");
  }
  const claimed = payload[rolesClaim];
  const roles = Array.isArray(claimed) ? claimed.filter(isRoleName) : [];
  if (roles.length === 0) {
    throw new ServiceError("permission_denied", `The identity provider gives you no role here (claim ${rolesClaim}).`);
  }
  const shown = [name, username].find((text) => typeof text === "string" && text !== "");
  return { subject, name: shown === undefined ? subject : String(shown), roles };
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(providerMsMax) });
  if (!response.ok) throw new Error(`the identity provider answered ${response.status}`);
  const configuration = discoverySchema.parse(await response.json());
  if (configuration.issuer !== issuer) throw new Error("the identity provider names another issuer");
  return createRemoteJWKSet(new URL(configuration.jwks_uri), { timeoutDuration: providerMsMax });
}

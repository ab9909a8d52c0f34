import { hashToken } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import type { RoleName } from "@platform/kit/rpc/client";
import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { discoverProvider } from "./provider-discovery.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { type RoleMap, readRoles } from "./provider-roles.ts";

/** How operators sign in: an OpenID Provider. */
export type OperatorSignInSettings = {
  readonly issuer: string;
  /** Clients of the provider whose ID tokens are taken; the first is that of platformctl. */
  readonly clientIds: readonly string[];
  /** Claim that lists a person's roles: its exact name, or a path with dots. */
  readonly rolesClaim: string;
  readonly roleMap: RoleMap;
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
/** How far the provider's clock may be ahead, and how far behind. */
const aheadSecondsMax = 60;
const behindSecondsMax = 5;

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

/** Verifies ID tokens of the provider, whose keys are discovered at the first one. */
export function createVerifyIdToken(settings: OperatorSignInSettings, logger: Logger): VerifyIdToken {
  const { issuer, clientIds } = settings;
  let found: Promise<JWTVerifyGetKey> | null = null;
  const keys = (): Promise<JWTVerifyGetKey> => {
    found ??= discoverKeys(issuer, logger).catch((error: unknown) => {
      found = null;
      logger.warn({ err: error, component: "operator-sign-in" }, "the identity provider cannot be read");
      throw dependencyUnavailable(error);
    });
    return found;
  };
  return async (idToken, now) => {
    if (!isCanonical(idToken)) throw invalidIdToken();
    const getKey = await keys();
    const { payload, protectedHeader } = await jwtVerify(idToken, getKey, {
      algorithms,
      issuer,
      audience: [...clientIds],
      maxTokenAge: idTokenSecondsMax,
      requiredClaims: ["sub", "iat", "exp"],
      clockTolerance: aheadSecondsMax,
      currentDate: now,
    }).catch((error: unknown) => {
      if (isServiceError(error)) throw error;
      if (!(error instanceof errors.JOSEError)) throw dependencyUnavailable(error);
      throw invalidIdToken(error);
    });
    // The tolerance above is for clocks that are ahead. It must not make tokens last longer.
    const { exp = 0, iat = 0 } = payload;
    const earliest = now.getTime() / 1000 - behindSecondsMax;
    if (exp <= earliest || iat < earliest - idTokenSecondsMax) throw invalidIdToken(new Error("expired"));
    return {
      person: personOf(payload, settings),
      statementSha256: hashToken(JSON.stringify([protectedHeader, payload])),
    };
  };
}

const invalidIdToken = (cause?: unknown): ServiceError =>
  new ServiceError("unauthenticated", "The ID token is not valid here; sign in again.", { cause });

/**
 * Is a token three parts of base64url in the one form that RFC 7515 has for them? Decoders also take white space, padding, and other values of the last
 * character's unused bits, so that one token would have many texts.
 */
function isCanonical(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function personOf(payload: JWTPayload, { clientIds, rolesClaim, roleMap }: OperatorSignInSettings): SignedInPerson {
  const { sub: subject = "", azp, name, preferred_username: username } = payload;
  // A token for several audiences was issued to the one in `azp` (OpenID Connect Core, 3.1.3.7).
  if (azp !== undefined && !clientIds.includes(String(azp))) {
    throw new ServiceError("unauthenticated", "The ID token was issued to another application.");
  }
  const roles = readRoles(payload, rolesClaim, roleMap);
  if (roles.length === 0) {
    throw new ServiceError("permission_denied", `The identity provider gives you no role here (claim ${rolesClaim}).`);
  }
  const shown = [name, username].find((text) => typeof text === "string" && text !== "");
  return { subject, name: shown === undefined ? subject : String(shown), roles };
}

async function discoverKeys(issuer: string, logger: Logger): Promise<JWTVerifyGetKey> {
  const { jwks_uri } = await discoverProvider(issuer);
  return createProviderKeys(new URL(jwks_uri), logger);
}

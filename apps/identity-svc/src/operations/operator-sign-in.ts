import { hashToken } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import type { RoleName } from "@platform/kit/rpc/client";
import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import { normalizeEmail } from "@platform/kit/web/mail";
import { isOperatorSubject } from "@platform/operator-plane/operators";
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { readLogoutToken, type SignedOut } from "./logout-token.ts";
import { discoverProvider } from "./provider-discovery.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { type RoleMap, readRoles } from "./provider-roles.ts";

/** The OpenID Provider at which operators, or the members of projects, sign in. */
export type SignInSettings = {
  readonly issuer: string;
  /** Clients of the provider whose ID tokens are accepted; the first is that of platformctl. */
  readonly clientIds: readonly string[];
  /**
   * Claim that lists a person's roles on the platform: its exact name, or a path with dots. Null for a provider that gives no roles, whatever its
   * tokens contain, because it is only for members.
   */
  readonly roles: { readonly claim: string; readonly map: RoleMap } | null;
  readonly scope: string;
};

/** The person in an ID token. */
export type SignedInPerson = {
  /** Subjects of the members' own provider start with `members|`, so that nobody there can be mistaken for one of the operators. */
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** The address in the form of `normalizeEmail`, or null unless the provider vouches for it. */
  readonly verifiedEmail: string | null;
  /** Time at which the person authenticated: the token's `auth_time` if it has one, otherwise its time of issue. */
  readonly signedInAt: Date;
  /** The provider's own session, or null if the token contains none. */
  readonly providerSid: string | null;
};

/** A verified ID token. */
export type VerifiedIdToken = {
  readonly person: SignedInPerson;
  /**
   * SHA-256 (hex) of the signed statement. It does not depend on how the signature is encoded, so every form of one
   * token has the same hash.
   */
  readonly statementSha256: string;
};

/** Verifies an ID token. Throws unauthenticated, dependency_unavailable. */
export type VerifyIdToken = (idToken: string, now: Date) => Promise<VerifiedIdToken>;

/** The tokens of one provider. */
export type ProviderTokens = {
  readonly verify: VerifyIdToken;
  /** Verifies a logout token. Throws unauthenticated, dependency_unavailable. */
  readonly verifyLogout: (logoutToken: string, now: Date) => Promise<SignedOut>;
};

/** Maximum age of an ID token: it must prove a recent sign-in. */
const idTokenSecondsMax = 600;
const providerSidMax = 255;
/** How far the provider's clock may be ahead, and how far behind. */
const aheadSecondsMax = 60;
const behindSecondsMax = 5;

/** Only asymmetric algorithms are accepted: with a shared secret, every client could forge ID tokens. */
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

/** Creates the functions that verify the provider's tokens. The provider's keys are discovered with the first token. */
export function createProviderTokens(settings: SignInSettings, logger: Logger): ProviderTokens {
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
  const verified = async (token: string, now: Date, requiredClaims: string[]) => {
    if (!isCanonical(token)) throw invalidIdToken();
    const getKey = await keys();
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      algorithms,
      issuer,
      audience: [...clientIds],
      maxTokenAge: idTokenSecondsMax,
      requiredClaims,
      clockTolerance: aheadSecondsMax,
      currentDate: now,
    }).catch((error: unknown) => {
      if (isServiceError(error)) throw error;
      if (!(error instanceof errors.JOSEError)) throw dependencyUnavailable(error);
      throw invalidIdToken(error);
    });
    // The tolerance above is meant for clocks that are ahead. It must not make tokens valid for longer.
    const { exp = Number.POSITIVE_INFINITY, iat = 0 } = payload;
    const earliest = now.getTime() / 1000 - behindSecondsMax;
    if (exp <= earliest || iat < earliest - idTokenSecondsMax) throw invalidIdToken(new Error("expired"));
    return { payload, protectedHeader };
  };
  return {
    verify: async (idToken, now) => {
      const { payload, protectedHeader } = await verified(idToken, now, ["sub", "iat", "exp"]);
      return {
        person: personOf(payload, settings),
        statementSha256: hashToken(JSON.stringify([protectedHeader, payload])),
      };
    },
    // Older providers omit `exp`; a token that is ten minutes old is rejected in any case.
    verifyLogout: async (logoutToken, now) => {
      const { subject, providerSid } = readLogoutToken((await verified(logoutToken, now, ["iat", "jti"])).payload);
      return { subject: subjectAt(settings, subject), providerSid };
    },
  };
}

/** The subject under which sessions and memberships store a person. */
const subjectAt = ({ roles }: SignInSettings, subject: string): string =>
  roles === null ? `members|${subject}` : subject;

const invalidIdToken = (cause?: unknown): ServiceError =>
  new ServiceError("unauthenticated", "The ID token is not valid here; sign in again.", { cause });

/**
 * Returns whether a token is three parts of base64url in the canonical form of RFC 7515. Decoders also accept white
 * space, padding, and other values of the last character's unused bits, so that one token could be written in many
 * ways.
 */
function isCanonical(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function personOf(payload: JWTPayload, settings: SignInSettings): SignedInPerson {
  const { clientIds, roles } = settings;
  const { sub = "", azp, name, preferred_username: username, email, email_verified: isVerified } = payload;
  const { iat = 0, auth_time: authTime, sid } = payload;
  // A token for several audiences was issued to the one in `azp` (OpenID Connect Core, 3.1.3.7).
  if (azp !== undefined && !clientIds.includes(String(azp))) {
    throw new ServiceError("unauthenticated", "The ID token was issued to another application.");
  }
  const subject = subjectAt(settings, sub);
  if (sub === "" || !isOperatorSubject(subject)) {
    throw new ServiceError("unauthenticated", "The ID token has a subject that the record of actions cannot keep.");
  }
  const shown = [name, username].find((text) => typeof text === "string" && text !== "");
  return {
    subject,
    name: shown === undefined ? sub : String(shown),
    roles: roles === null ? [] : readRoles(payload, roles.claim, roles.map),
    // Some providers send the claim as a text; only the boolean true of the standard is accepted.
    verifiedEmail: isVerified === true && typeof email === "string" ? normalizeEmail(email) : null,
    signedInAt: new Date((typeof authTime === "number" ? Math.min(authTime, iat) : iat) * 1000),
    providerSid: typeof sid === "string" && sid.length <= providerSidMax ? sid : null,
  };
}

async function discoverKeys(issuer: string, logger: Logger): Promise<JWTVerifyGetKey> {
  const { jwks_uri } = await discoverProvider(issuer);
  return createProviderKeys(new URL(jwks_uri), logger);
}

/** The error on a platform that has no identity provider. */
export const signInNotConfigured = (): ServiceError =>
  new ServiceError(
    "operator_sign_in_not_configured",
    "This platform has no identity provider for operators (OPERATOR_OIDC_ISSUER).",
  );

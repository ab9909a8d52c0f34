import { isUuid } from "@platform/kit/process/secrets";
import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import { type JWTPayload, errors as joseErrors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { type Decision, placementLengthMax } from "../domain/decision.ts";
import { adFormats, clockSkewMs } from "../domain/viewability.ts";
import type { SigningKeyRing } from "./signing-key-ring.ts";

/** Media type of the tokens, so that no other token of the platform is mistaken for one (RFC 8725, 3.11). */
const tokenType = "ad-decision+jwt";
const algorithm = "EdDSA";
export const tokenLengthMax = 4096;

const uuid = z.string().refine(isUuid);
const amount = z.int().min(0);
const Claims = z.strictObject({
  iss: z.string(),
  iat: z.int().min(0),
  exp: z.int().min(0),
  jti: uuid,
  campaign: uuid,
  client: uuid.nullable(),
  placement: z
    .string()
    .min(1)
    .max(placementLengthMax * 2),
  format: z.enum(adFormats),
  price: z.strictObject({ cpm_minor: amount, currency: z.string().regex(/^[A-Z]{3}$/) }),
});

export type DecisionTokens = {
  /** Signs a decision with the active key. */
  sign(decision: Decision): Promise<string>;
  /**
   * Returns the decision in a token, and whether the token has expired.
   * @throws ServiceError decision_token_invalid for anything that is not a valid token of this deployment
   */
  verify(token: string): Promise<{ readonly decision: Decision; readonly isExpired: boolean }>;
};

/** The error for an invalid token. It is the same for every reason, so that guessing reveals nothing. */
export function decisionTokenInvalid(cause?: unknown): ServiceError {
  return new ServiceError(
    "decision_token_invalid",
    "The ad decision token is not valid; use the token of the decision as it was issued.",
    { cause },
  );
}

/** Creates and verifies decision tokens, which are compact JWS signed with EdDSA over Ed25519. */
export function createDecisionTokens(options: {
  readonly keys: SigningKeyRing;
  readonly issuer: string;
  readonly clock: () => Date;
}): DecisionTokens {
  const { keys, issuer, clock } = options;

  // The kid only selects one of our public keys. The algorithm is fixed and is never read from the token.
  const keyOf = async (header: { kid?: string | undefined }) => {
    const key = typeof header.kid === "string" && isUuid(header.kid) ? await keys.verifier(header.kid) : null;
    if (key === null) throw decisionTokenInvalid();
    return key;
  };

  return {
    sign: async (decision) => {
      const { kid, privateKey } = await keys.active();
      return await new SignJWT({
        campaign: decision.campaignId,
        client: decision.projectClientId,
        placement: decision.placement,
        format: decision.format,
        price: { cpm_minor: decision.cpmMinor, currency: decision.currency },
      })
        .setProtectedHeader({ alg: algorithm, kid, typ: tokenType })
        .setIssuer(issuer)
        .setJti(decision.id)
        .setIssuedAt(decision.issuedAt)
        .setExpirationTime(decision.expiresAt)
        .sign(privateKey);
    },
    verify: async (token) => {
      if (token.length > tokenLengthMax) throw decisionTokenInvalid();
      const now = clock();
      try {
        const { payload, isExpired } = await jwtVerify(token, keyOf, {
          algorithms: [algorithm],
          typ: tokenType,
          issuer,
          currentDate: now,
        }).then(unexpired, expired);
        const claims = Claims.parse(payload);
        if (claims.iat * 1000 > now.getTime() + clockSkewMs) throw decisionTokenInvalid();
        return { decision: toDecision(claims), isExpired };
      } catch (error) {
        throw tokenError(error);
      }
    },
  };
}

const unexpired = ({ payload }: { payload: JWTPayload }) => ({ payload, isExpired: false });

/** Returns the claims of an expired token. They are authentic, because jose checks the signature before the time. */
function expired(error: unknown) {
  if (error instanceof joseErrors.JWTExpired) return { payload: error.payload, isExpired: true };
  throw error;
}

function toDecision(claims: z.output<typeof Claims>): Decision {
  return {
    id: claims.jti,
    campaignId: claims.campaign,
    projectClientId: claims.client,
    placement: claims.placement,
    format: claims.format,
    cpmMinor: claims.price.cpm_minor,
    currency: claims.price.currency,
    issuedAt: new Date(claims.iat * 1000),
    expiresAt: new Date(claims.exp * 1000),
  };
}

function tokenError(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (error instanceof joseErrors.JOSEError || error instanceof z.ZodError) return decisionTokenInvalid(error);
  // jose throws a TypeError or a SyntaxError for input that it cannot decode. Any other error is a failure of the key
  // store.
  if (error instanceof TypeError || error instanceof SyntaxError) return decisionTokenInvalid(error);
  return dependencyUnavailable(error);
}

/** The error for an expired token. */
export function decisionTokenExpired(): ServiceError {
  return new ServiceError("decision_token_expired", "The ad decision token has expired; ask for a new decision.");
}

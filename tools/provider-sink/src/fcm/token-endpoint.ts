import { decodeJwt, decodeProtectedHeader } from "jose";
import { jsonAnswer, type ProviderAnswer } from "../faults/provider-answer.ts";
import type { PushRequest } from "../faults/settle-attempt.ts";
import type { AccessTokens } from "./access-tokens.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const longestLifetimeSeconds = 3600;
const clockSkewSeconds = 300;

/**
 * Handles `POST /token` as Google's OAuth endpoint for service accounts does (RFC 7523). Any service-account key is accepted, because the sink cannot know
 * its public key; the assertion must be a well-formed RS256 JWT that Google would accept.
 */
export function exchangeAssertion(tokens: AccessTokens, request: PushRequest): ProviderAnswer {
  const form = new URLSearchParams(request.body.toString("utf8"));
  if (form.get("grant_type") !== jwtBearer) {
    return oauthError("unsupported_grant_type", `Invalid grant_type: ${form.get("grant_type") ?? ""}`);
  }
  const problem = findProblem(form.get("assertion") ?? "");
  if (problem) return oauthError("invalid_grant", problem);
  const { accessToken, expiresIn } = tokens.issue();
  return jsonAnswer(200, { access_token: accessToken, expires_in: expiresIn, token_type: "Bearer" });
}

function findProblem(assertion: string): string | null {
  try {
    const header = decodeProtectedHeader(assertion);
    const claims = decodeJwt(assertion);
    const nowSeconds = Date.now() / 1000;
    if (header.alg !== "RS256") return "Invalid JWT: Algorithm must be RS256.";
    if (assertion.split(".")[2] === "") return "Invalid JWT Signature.";
    if (typeof claims.iss !== "string" || claims.iss === "") return "Invalid grant: account not found";
    if (typeof claims.aud !== "string") return "Invalid JWT: Failed audience check.";
    if (
      typeof claims.exp !== "number" ||
      typeof claims.iat !== "number" ||
      !isReasonable(claims.iat, claims.exp, nowSeconds)
    ) {
      return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.";
    }
    return null;
  } catch {
    return "Bad Request";
  }
}

function isReasonable(iat: number, exp: number, nowSeconds: number): boolean {
  return exp > nowSeconds && exp - iat <= longestLifetimeSeconds && iat <= nowSeconds + clockSkewSeconds;
}

function oauthError(error: string, description: string): ProviderAnswer {
  return jsonAnswer(400, { error, error_description: description });
}

import { decodeJwt, decodeProtectedHeader } from "jose";
import { apnsError } from "../faults/apns-errors.ts";
import type { ProviderAnswer } from "../faults/provider-answer.ts";

const lifetimeSeconds = 3600;
const clockSkewSeconds = 60;
const shortestReuseMs = 20 * 60 * 1000;
const es256SignatureBytes = 64;
const teamsMax = 1000;

/**
 * Validates provider tokens as APNs does, except for the signature itself: the sink does not know the team's key.
 * (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns)
 */
export class ProviderTokens {
  readonly #refuseFrequentUpdates: boolean;
  readonly #current = new Map<string, { token: string; sinceMs: number }>();

  constructor(options: { refuseFrequentUpdates: boolean }) {
    this.#refuseFrequentUpdates = options.refuseFrequentUpdates;
  }

  /** Returns the rejection of an invalid `authorization` header, or null for a valid one. */
  refuse(authorization: string | undefined, nowMs = Date.now()): ProviderAnswer | null {
    const token = /^bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return apnsError(403, "MissingProviderToken");
    const claims = readToken(token);
    if (!claims) return apnsError(403, "InvalidProviderToken");
    const ageSeconds = nowMs / 1000 - claims.iat;
    if (ageSeconds < -clockSkewSeconds) return apnsError(403, "InvalidProviderToken");
    if (ageSeconds > lifetimeSeconds) return apnsError(403, "ExpiredProviderToken");
    return this.#refuseFrequentUpdates ? this.#refuseUpdate(`${claims.iss} ${claims.kid}`, token, nowMs) : null;
  }

  #refuseUpdate(signer: string, token: string, nowMs: number): ProviderAnswer | null {
    const current = this.#current.get(signer);
    if (current?.token === token) return null;
    if (current && nowMs - current.sinceMs < shortestReuseMs) return apnsError(429, "TooManyProviderTokenUpdates");
    if (this.#current.size >= teamsMax) this.#current.clear();
    this.#current.set(signer, { token, sinceMs: nowMs });
    return null;
  }
}

function readToken(token: string): { kid: string; iss: string; iat: number } | null {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    const { iss, iat } = decodeJwt(token);
    const signature = Buffer.from(token.split(".")[2] ?? "", "base64url");
    const isWellFormed = alg === "ES256" && kid && iss && typeof iat === "number";
    return isWellFormed && signature.length === es256SignatureBytes ? { kid, iss, iat } : null;
  } catch {
    return null;
  }
}

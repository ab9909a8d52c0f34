import { importPKCS8, SignJWT } from "jose";
import type { ApnsConfig } from "../domain/sender-profile.ts";
import { createTokenCache } from "./token-cache.ts";

/**
 * APNs rejects tokens older than 60 minutes, and a sender that creates more than one token in 20 minutes. Each token
 * is therefore used for 40 minutes.
 */
const useMs = 40 * 60 * 1000;
/** Minimum time between two renewals of a profile's token after a rejection, in milliseconds. */
export const apnsRenewMs = 20 * 60 * 1000;
const tokensMax = 10_000;

/** A provider token that is being signed. Concurrent callers share it. */
export type ApnsToken = Promise<string>;

/**
 * Creates provider tokens, one for each profile
 * (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
 */
export function createApnsTokens(clock: () => Date = () => new Date()) {
  const tokens = createTokenCache<ApnsToken>({ useMs, renewMs: apnsRenewMs, max: tokensMax, clock });
  const signed = (profileId: string, config: ApnsConfig) => (): ApnsToken => {
    const token = sign(config, clock().getTime());
    token.catch(() => tokens.forget(nameOf(profileId)));
    return token;
  };
  return {
    get: (profileId: string, config: ApnsConfig): ApnsToken => tokens.get(nameOf(profileId), signed(profileId, config)),
    /** A new token to replace a rejected one; null if APNs does not allow another one yet. */
    renew: (profileId: string, config: ApnsConfig, refused: ApnsToken): ApnsToken | null =>
      tokens.renew(nameOf(profileId), refused, signed(profileId, config)),
    /** Returns after how many milliseconds APNs allows another token. */
    renewableInMs: (profileId: string): number => tokens.renewableInMs(nameOf(profileId)),
    forget: (profileId: string): void => tokens.forget(nameOf(profileId)),
  };
}

/** Name of a profile's token in the cache. It ends with a space, so that no name is a prefix of another. */
const nameOf = (profileId: string): string => `${profileId} `;

async function sign(config: ApnsConfig, nowMs: number): Promise<string> {
  const key = await importPKCS8(config.private_key, "ES256");
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: config.key_id })
    .setIssuer(config.team_id)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .sign(key);
}

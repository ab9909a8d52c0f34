import { importPKCS8, SignJWT } from "jose";
import type { ApnsConfig } from "../domain/sender-profile.ts";

/** APNs refuses tokens older than 60 minutes, and more than one new token in 20: each is used for 40. */
const useMs = 40 * 60 * 1000;

/**
 * Provider tokens (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns), by
 * profile. Concurrent callers share the one being made.
 */
export function createApnsTokens(clock: () => Date = () => new Date()) {
  const tokens = new Map<string, { readonly token: Promise<string>; readonly madeAtMs: number }>();
  return {
    get: (profileId: string, config: ApnsConfig): Promise<string> => {
      const nowMs = clock().getTime();
      const known = tokens.get(profileId);
      if (known !== undefined && nowMs - known.madeAtMs < useMs) return known.token;
      const token = sign(config, nowMs);
      tokens.set(profileId, { token, madeAtMs: nowMs });
      token.catch(() => tokens.delete(profileId));
      return token;
    },
    forget: (profileId: string): void => void tokens.delete(profileId),
  };
}

async function sign(config: ApnsConfig, nowMs: number): Promise<string> {
  const key = await importPKCS8(config.private_key, "ES256");
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: config.key_id })
    .setIssuer(config.team_id)
    .setIssuedAt(Math.floor(nowMs / 1000))
    .sign(key);
}

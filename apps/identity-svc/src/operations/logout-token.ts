import { ServiceError } from "@platform/kit/rpc/errors";
import type { JWTPayload } from "jose";

/** The target of a logout token: one session at the provider, or all sessions of a person. */
export type SignedOut = { readonly subject: string; readonly providerSid: string | null };

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Reads the verified claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.6).
 * @throws ServiceError unauthenticated for any other token, especially an ID token, which has a nonce and no such event
 */
export function readLogoutToken({ events, nonce, sub, sid }: JWTPayload): SignedOut {
  const isLogout = typeof events === "object" && events !== null && Object.hasOwn(events, logoutEvent);
  const subject = typeof sub === "string" ? sub : "";
  const providerSid = typeof sid === "string" && sid !== "" ? sid : null;
  if (!isLogout || nonce !== undefined || (subject === "" && providerSid === null))
    throw new ServiceError("unauthenticated", "This is no logout token.");
  return { subject, providerSid };
}

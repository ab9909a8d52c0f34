import type { Logger } from "@platform/kit/process/telemetry";
import { decodeJwt } from "jose";
import type { SignedOut } from "./logout-token.ts";
import {
  createProviderTokens,
  type ProviderTokens,
  type SignInSettings,
  signInNotConfigured,
  type VerifiedIdToken,
} from "./operator-sign-in.ts";

type SignIn = { readonly settings: SignInSettings; readonly tokens: ProviderTokens };

/** The providers at which people sign in. */
export type SignInProviders = {
  /** The settings for operators, or for members. Throws operator_sign_in_not_configured on a platform without an identity provider. */
  settingsFor(isForMembers: boolean): SignInSettings;
  /** Verifies an ID token by the provider that issued it. Throws the same errors as `VerifyIdToken`. */
  readonly verify: (idToken: string, now: Date) => Promise<VerifiedIdToken>;
  /** Verifies a logout token by the provider that issued it. Throws the same errors as `VerifyIdToken`. */
  readonly verifyLogout: (logoutToken: string, now: Date) => Promise<SignedOut>;
};

/**
 * @param operators the operators' provider, at which members also sign in unless they have one of their own; null if
 * there is none
 * @param members the members' own provider, or null
 */
export function createSignInProviders(
  operators: SignInSettings | null,
  members: SignInSettings | null,
  logger: Logger,
): SignInProviders {
  const signInAt = (settings: SignInSettings): SignIn => ({
    settings,
    tokens: createProviderTokens(settings, logger),
  });
  // The operators' provider comes first: if both have the same issuer, its tokens give roles.
  const all = [operators, members].filter((settings) => settings !== null).map(signInAt);
  const tokensOf = (token: string): ProviderTokens => {
    const [first] = all;
    if (first === undefined) throw signInNotConfigured();
    // The unverified issuer only selects the provider whose keys verify the token. The verification then checks the
    // issuer.
    const named = all.find(({ settings }) => settings.issuer === issuerOf(token));
    return (named ?? first).tokens;
  };
  return {
    settingsFor: (isForMembers) => {
      const settings = isForMembers ? (members ?? operators) : operators;
      if (settings === null) throw signInNotConfigured();
      return settings;
    },
    verify: async (idToken, now) => tokensOf(idToken).verify(idToken, now),
    verifyLogout: async (logoutToken, now) => tokensOf(logoutToken).verifyLogout(logoutToken, now),
  };
}

function issuerOf(idToken: string): string | undefined {
  try {
    return decodeJwt(idToken).iss;
  } catch {
    return undefined;
  }
}

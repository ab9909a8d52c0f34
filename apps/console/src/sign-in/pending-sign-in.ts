import { type Keyring, open, seal } from "@platform/kit/process/secrets";
import type { ProviderName } from "./identity-providers.ts";

/** Values with which the provider's response to a sign-in is checked. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Path to open after the sign-in. */
  readonly to: string;
  /**
   * The provider at which the sign-in was started. Absent if the previous version started it, because that version knew
   * only the provider of operators.
   */
  readonly provider?: ProviderName;
};

/** Time that a person may spend at the identity provider, in seconds. */
export const pendingSignInSeconds = 600;

const purpose = "console sign-in";

/**
 * Stores pending sign-ins in their browsers, encrypted (AES-256-GCM, bound to this purpose). Anyone may start a
 * sign-in, so a store on the server could be filled by strangers. The encrypted text can be presented several times. A
 * sign-in still succeeds only once, because the provider's code can be used once (RFC 6749, 4.1.2), and identity-svc
 * opens one session for an ID token. Another console may open what this one has sealed, so the expiry is a time of the
 * wall clock.
 */
export function createPendingSignIns(keyring: Keyring, now: () => number = Date.now) {
  return {
    /**
     * @returns the text for the browser's cookie: at most 2 KB, of characters that a cookie may contain (RFC 6265,
     * 4.1.1)
     */
    seal: (pending: PendingSignIn): string =>
      seal(keyring, purpose, JSON.stringify({ ...pending, untilMs: now() + pendingSignInSeconds * 1000 })),
    /** Returns the pending sign-in in a cookie; null if it has expired or was not encrypted by this platform. */
    open: (sealed: string): PendingSignIn | null => {
      try {
        const { untilMs, ...pending } = JSON.parse(open(keyring, purpose, sealed)) as PendingSignIn & {
          untilMs: number;
        };
        return untilMs > now() ? pending : null;
      } catch {
        return null;
      }
    },
  };
}

export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

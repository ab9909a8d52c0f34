import { type Keyring, open, seal } from "@platform/kit/process/secrets";
import type { ProviderName } from "./identity-providers.ts";

/** Values against which the provider's response to a sign-in is checked. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Path to open after the sign-in. */
  readonly to: string;
  /**
   * The provider at which it was started; absent if the previous version started it, which knew only that of operators.
   */
  readonly provider?: ProviderName;
};

/** Time that a person has at the identity provider. */
export const pendingSignInSeconds = 600;

const purpose = "console sign-in";

/**
 * Keeps pending sign-ins in their browsers, encrypted (AES-256-GCM, bound to this purpose). Anyone may start a sign-in,
 * so strangers could fill a store on the server. An encrypted text can be presented several times. That a sign-in
 * succeeds only once depends on the provider's code, which is single-use (RFC 6749, 4.1.2), and on identity-svc, where
 * an ID token opens one session.
 */
export function createPendingSignIns(keyring: Keyring, now: () => number = Date.now) {
  return {
    /**
     * @returns the text for the browser's cookie: at most 2 KB, of characters that a cookie may contain (RFC 6265,
     * 4.1.1)
     */
    seal: (pending: PendingSignIn): string =>
      seal(keyring, purpose, JSON.stringify({ ...pending, untilMs: now() + pendingSignInSeconds * 1000 })),
    /** The pending sign-in in a cookie, or null if it has expired or was not encrypted here. */
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

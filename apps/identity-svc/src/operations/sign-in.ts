import { sourceNetwork } from "@platform/kit/web/http";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";

/**
 * A sign-in attempt: the password, the source IP address, and whether many people share that address, which is then
 * never locked as a whole.
 */
type Tried = { readonly password: string; readonly source: string; readonly isSourceShared: boolean };

/**
 * Number of failures within 15 minutes after which an address is locked for one source, and after which a source is
 * locked for every address.
 */
const failuresPerAddressMax = 10;
const failuresPerSourceMax = 100;

export type SignInResult =
  | { readonly isSignedIn: true; readonly account: PlatformAccount }
  /** The address is unknown or the password is wrong; the two cases look the same to callers. */
  | { readonly isSignedIn: false; readonly reason: "refused" }
  | { readonly isSignedIn: false; readonly reason: "locked"; readonly retryAfterSeconds: number };

/**
 * Checks an address and a password. Every outcome except a lock costs one password check and the same writes, for known
 * and unknown addresses alike.
 */
export async function signIn(context: IdentityContext, tried: Tried & { email: string }): Promise<SignInResult> {
  const email = normalizeEmail(tried.email);
  return throttled(context, email, tried, async () => {
    const found = await context.accounts.findByEmail(email);
    const matches = await context.passwords.verify(tried.password, found?.passwordHash ?? null);
    return matches && found !== null && found.account.disabled_at === null ? found.account : null;
  });
}

/**
 * Checks the password of an account that is already signed in. Failures are counted for the account, as for a
 * sign-in.
 */
export async function reauthenticate(
  context: IdentityContext,
  tried: Tried & { accountId: string },
): Promise<SignInResult> {
  return throttled(context, `account:${tried.accountId}`, tried, async () => {
    const account = await context.accounts.find(tried.accountId);
    const hash = await context.accounts.findPasswordHash(tried.accountId);
    return (await context.passwords.verify(tried.password, hash)) && account?.disabled_at === null ? account : null;
  });
}

async function throttled(
  context: IdentityContext,
  who: string,
  { source, isSourceShared }: Tried,
  check: () => Promise<PlatformAccount | null>,
): Promise<SignInResult> {
  const now = context.clock();
  const network = sourceNetwork(source);
  const bySource = isSourceShared ? null : { subject: `source ${network}`, limit: failuresPerSourceMax };
  const byAddress = { subject: addressSubject(who, network), limit: failuresPerAddressMax };
  for (const { subject, limit } of bySource === null ? [byAddress] : [bySource, byAddress]) {
    const lockedUntil = await context.signInFailures.countTry(subject, limit, now);
    if (lockedUntil !== null) {
      const retryAfterSeconds = Math.max(1, Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000));
      context.metrics.signIns.inc({ outcome: "locked" });
      return { isSignedIn: false, reason: "locked", retryAfterSeconds };
    }
  }
  const account = await check();
  context.metrics.signIns.inc({ outcome: account === null ? "refused" : "signed_in" });
  if (account === null) return { isSignedIn: false, reason: "refused" };
  if (bySource !== null) await context.signInFailures.takeBack(bySource.subject);
  await context.signInFailures.forget(byAddress.subject);
  return { isSignedIn: true, account };
}

/** Resets the failed sign-ins of a source with an address whose owner has proven their presence. */
export function forgetFailures(context: IdentityContext, email: string, source: string): Promise<void> {
  return context.signInFailures.forget(addressSubject(email, sourceNetwork(source)));
}

const addressSubject = (who: string, network: string): string => `address ${who} source ${network}`;

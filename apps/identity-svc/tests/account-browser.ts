import { type HostedBrowser, openBrowser, pages, type Shown } from "./hosted-browser.ts";
import { makeAccount, password } from "./migration-steps.ts";
import type { TestIdentity } from "./start-identity.ts";

export const account = `${pages}/account`;

/** Signs in at the account page, in a new browser. */
export async function signInToAccount(
  identity: TestIdentity,
  email: string,
  browser: HostedBrowser = openBrowser(identity),
): Promise<{ browser: HostedBrowser; shown: Shown }> {
  await browser.get(`${account}/sign-in`);
  return { browser, shown: await browser.submit("account/sign-in", { email, password }) };
}

/** A person who has an account and whose browser shows the account page. */
export async function personAtHome(identity: TestIdentity) {
  const { accountId, email, sessionId } = await makeAccount(identity, { verified: true });
  return { accountId, email, otherSessionId: sessionId, ...(await signInToAccount(identity, email)) };
}

/** Advances the clock, so that the person's sign-in is too old for changes. */
export function growStale(identity: TestIdentity): void {
  identity.clock.advanceSeconds(601);
}

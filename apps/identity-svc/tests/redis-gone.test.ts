import { afterEach, beforeEach, expect, test } from "vitest";
import { begin, openBrowser } from "./hosted-browser.ts";
import { makeAccount, makeTransaction, openSession, password, refusal } from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeEach(async () => {
  identity = await startIdentity();
});
afterEach(() => identity.close());

test("signs people in and revokes sessions without Redis, and fails only to report the use of quotas", async () => {
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email, verified: true });
  await identity.redis.kill();
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  expect((await browser.submit("sign-in", { email: transaction.email, password })).at).toContain("/confirm");
  await identity.accounts.revokeSession({ sessionId: account.sessionId }, callAs(null));
  const { sessionId } = await openSession(identity, account.accountId);
  await identity.accounts.revokeSession({ sessionId }, callAs(null));
  expect((await identity.accounts.listSessions({ accountId: account.accountId }, callAs(null))).sessions).toHaveLength(
    1,
  );
  const projectClientId = await makeClient(identity);
  expect(await refusal(identity.clients.showQuotas({ projectClientId }, callAs(null)))).toBe("dependency_unavailable");
});

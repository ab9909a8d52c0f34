import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, openBrowser, pages } from "./hosted-browser.ts";
import { makeAccount, makeTransaction, password, statusOf } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

test("does not link an account that signed in after the confirm page was opened for another", async () => {
  const transaction = await makeTransaction(identity);
  identity.clock.advanceSeconds(1);
  const shown = await makeAccount(identity, { email: transaction.email, verified: true });
  const later = await makeAccount(identity, { verified: true });
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  const page = await browser.submit("sign-in", { email: shown.email, password });
  expect(page.at).toBe(`${pages}/confirm`);
  const leftOpen = {
    form_token: /name="form_token" value="([0-9a-f]{64})"/.exec(page.html)?.[1] ?? "",
    account: /name="account" value="([0-9a-f-]{36})"/.exec(page.html)?.[1] ?? "",
  };
  expect(leftOpen.account).toBe(shown.accountId);

  await browser.submit("sign-out");
  await browser.submit("sign-in", { email: later.email, password });
  const answered = await browser.post(`${pages}/confirm`, leftOpen);
  expect(answered.at).toBe(`${pages}/confirm`);
  expect(answered.html).toContain(later.email);
  expect(await statusOf(identity, transaction)).toBe("pending");

  expect((await browser.submit("confirm")).at).toContain("status=link_pending");
  const { transaction: linked } = await identity.migration.getIdentityMigrationTransaction(
    { transactionId: transaction.id },
    callAs(transaction.clientId),
  );
  expect(linked?.accountId).toBe(later.accountId);
});

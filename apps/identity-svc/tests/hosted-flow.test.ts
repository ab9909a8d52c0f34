import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, type HostedBrowser, makeContinuation, openBrowser, pages } from "./hosted-browser.ts";
import {
  confirm,
  type MadeTransaction,
  makeAccount,
  makeTransaction,
  password,
  readMail,
  returnUri,
  statusOf,
} from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

describe("a person without an account", () => {
  test("registers a person by an emailed code, links the account, and returns to the project with the project's state", async () => {
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    const first = await begin(identity, browser, transaction);
    expect(first).toMatchObject({ status: 200, at: `${pages}/sign-in` });
    await browser.get(`${pages}/register`);
    expect((await browser.submit("register", { password })).at).toBe(`${pages}/verify-email`);
    const { code } = await readMail(identity, transaction.email);
    const confirmPage = await browser.submit("verify-email", { code: ` ${code?.slice(0, 3)} ${code?.slice(3)} ` });
    expect(confirmPage.at).toBe(`${pages}/confirm`);
    expect(confirmPage.html).toContain("Test project");
    expect(await statusOf(identity, transaction)).toBe("pending");
    const returned = await browser.submit("confirm");
    expect(returned.status).toBe(200);
    expect(returned.at).toBe(`${returnUri}?transaction_id=${transaction.id}&state=the-state&status=link_pending`);
    expect(await statusOf(identity, transaction)).toBe("link_pending");
    const completed = await confirm(identity, transaction);
    const accountId = completed.transaction?.accountId ?? "";
    const { account } = await identity.accounts.showAccount({ accountId, reveal: true }, callAs(null));
    expect(account?.loginIdentifiers).toMatchObject([{ email: transaction.email }]);
    expect(account?.loginIdentifiers[0]?.verifiedAt).toBeDefined();
  });

  test("emails only a code, which no other browser and no scanner can use", async () => {
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.get(`${pages}/register`);
    const verify = await browser.submit("register", { password });
    expect(verify.html).not.toContain("opened the link");
    const { code, message } = await readMail(identity, transaction.email);
    // The email contains nothing that a scanner could follow.
    expect(`${message.parsed.text}${message.parsed.html}`).not.toMatch(/https?:/);
    const stranger = openBrowser(identity, "203.0.113.9");
    await begin(identity, stranger, await makeTransaction(identity, { email: transaction.email }));
    expect((await stranger.submit("verify-email", { code: code ?? "" })).at).toBe(`${pages}/sign-in`);
    expect((await browser.get(`${pages}/verify-email`)).at).toBe(`${pages}/verify-email`);
    identity.clock.advanceSeconds(31);
    await browser.submit("send-mail");
    const second = await readMail(identity, transaction.email, 2);
    expect(`${second.message.parsed.text}${second.message.parsed.html}`).not.toMatch(/https?:/);
    expect((await browser.submit("verify-email", { code: second.code ?? "" })).at).toBe(`${pages}/confirm`);
  });

  test("reveals only by email that an account already has the address", async () => {
    const owner = await makeAccount(identity, { verified: true });
    const transaction = await makeTransaction(identity, { email: owner.email });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.get(`${pages}/register`);
    expect((await browser.submit("register", { password })).at).toBe(`${pages}/verify-email`);
    const { code, linkPath, message } = await readMail(identity, transaction.email);
    expect([code, linkPath]).toEqual([null, null]);
    expect(message.parsed.text).toContain("sign in with your password instead");
    const { sessions } = await identity.accounts.listSessions({ accountId: owner.accountId }, callAs(null));
    expect(sessions).toHaveLength(1);
  });
});

describe("a person with an account", () => {
  test("accepts an address with a quoted local part at the sign-in, which the field lets people type", async () => {
    const owner = await makeAccount(identity, { email: '"abc..def"@docomo.example', verified: true });
    identity.clock.advanceSeconds(1);
    const transaction = await makeTransaction(identity, { email: owner.email });
    const browser = openBrowser(identity);
    const page = await begin(identity, browser, transaction);
    // For the type `email`, browsers enforce a grammar without quotation marks, unless the form disables validation.
    expect(page.html).toMatch(/<form [^>]*sign-in" novalidate>[\s\S]*<input id="email"[^>]* type="email"/);
    const verify = await browser.submit("sign-in", { email: ' "ABC..def"@Docomo.example', password });
    expect(verify.at).toBe(`${pages}/verify-email`);
    const { code } = await readMail(identity, owner.email);
    expect((await browser.submit("verify-email", { code: code ?? "" })).at).toBe(`${pages}/confirm`);
    expect(
      (await identity.support.findAccounts({ email: '"abc.\\.def"@docomo.example' }, callAs(null))).accounts,
    ).toHaveLength(1);
  });

  test("signs a person in, proves the address again, and links that account", async () => {
    const owner = await makeAccount(identity, { verified: true });
    identity.clock.advanceSeconds(1);
    const transaction = await makeTransaction(identity, { email: "legacy-address@example.org" });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    const verify = await browser.submit("sign-in", { email: owner.email.toUpperCase(), password });
    expect(verify.at).toBe(`${pages}/verify-email`);
    expect(verify.html).toContain(owner.email);
    const { code } = await readMail(identity, owner.email);
    await browser.submit("verify-email", { code: code ?? "" });
    expect((await browser.submit("confirm")).at).toContain("status=link_pending");
    expect((await confirm(identity, transaction)).transaction?.accountId).toBe(owner.accountId);
  });

  test("verifies the address by the emailed link in another browser, and continues in the first one", async () => {
    const owner = await makeAccount(identity, { verified: true });
    identity.clock.advanceSeconds(1);
    const transaction = await makeTransaction(identity, { email: owner.email });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.submit("sign-in", { email: owner.email, password });
    const notYet = await browser.get(`${pages}/verify-email?opened=1`);
    expect(notYet.html).toContain("not confirmed yet");
    const { linkPath } = await readMail(identity, owner.email);
    const elsewhere = openBrowser(identity, "203.0.113.9");
    const shown = await elsewhere.get(linkPath ?? "");
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.html).toContain("Email address confirmed");
    expect(elsewhere.cookies.size).toBe(0);
    expect((await browser.get(`${pages}/verify-email?opened=1`)).at).toBe(`${pages}/confirm`);
    expect((await browser.submit("confirm")).at).toContain("status=link_pending");
  });

  test("asks for the password again when the sign-in is no longer recent", async () => {
    const transaction = await makeTransaction(identity);
    await makeAccount(identity, { email: transaction.email, verified: true });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    expect((await browser.submit("sign-in", { email: transaction.email, password })).at).toBe(`${pages}/confirm`);
    identity.clock.advanceSeconds(601);
    expect((await browser.submit("confirm")).at).toBe(`${pages}/reauthenticate`);
    expect(await statusOf(identity, transaction)).toBe("pending");
    expect((await browser.submit("reauthenticate", { password: "not the password" })).status).toBe(422);
    expect((await browser.submit("reauthenticate", { password })).at).toBe(`${pages}/confirm`);
    expect((await browser.submit("confirm")).at).toContain("status=link_pending");
  });

  test("ends the session when the person signs out", async () => {
    const transaction = await makeTransaction(identity);
    const owner = await makeAccount(identity, { email: transaction.email, verified: true });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.submit("sign-in", { email: transaction.email, password });
    expect((await browser.submit("sign-out")).at).toBe(`${pages}/sign-in`);
    const { sessions } = await identity.accounts.listSessions({ accountId: owner.accountId }, callAs(null));
    expect(sessions).toHaveLength(1);
  });
});

/** A browser on the confirm page of a transaction whose person has an account. */
async function onConfirmPage(transaction: MadeTransaction): Promise<HostedBrowser> {
  await makeAccount(identity, { email: transaction.email, verified: true });
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  await browser.submit("sign-in", { email: transaction.email, password });
  return browser;
}

describe("the end of a flow", () => {
  test("returns to the project with status=cancelled and links nothing if the person cancels", async () => {
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    const returned = await browser.submit("cancel");
    expect(returned.at).toBe(`${returnUri}?transaction_id=${transaction.id}&state=the-state&status=cancelled`);
    expect(await statusOf(identity, transaction)).toBe("pending");
    const after = await browser.get(`${pages}/sign-in`);
    expect(after.html).toContain("Nothing has been linked");
  });

  test("shows that the transaction has expired", async () => {
    const transaction = await makeTransaction(identity, { expiresInSeconds: 60 });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    identity.clock.advanceSeconds(61);
    const shown = await browser.get(`${pages}/sign-in`);
    expect(shown.status).toBe(422);
    expect(shown.html).toContain("Too much time has passed");
  });

  test("shows that the project has not confirmed yet, until it confirms", async () => {
    const transaction = await makeTransaction(identity);
    const browser = await onConfirmPage(transaction);
    await browser.submit("confirm");
    const waiting = await browser.get(`${pages}/sign-in`);
    expect([waiting.status, waiting.html]).toEqual([
      200,
      expect.stringContaining("Waiting for Test project to confirm"),
    ]);
    expect(waiting.html).not.toContain("Your accounts are linked.");
    await confirm(identity, transaction);
    expect((await browser.get(`${pages}/sign-in`)).html).toContain("Your accounts are linked.");
  });

  test("does not report accounts as linked when the project did not confirm in time", async () => {
    const transaction = await makeTransaction(identity, { expiresInSeconds: 60 });
    const browser = await onConfirmPage(transaction);
    await browser.submit("confirm");
    identity.clock.advanceSeconds(61);
    const shown = await browser.get(`${pages}/sign-in`);
    expect([shown.status, shown.html]).toEqual([422, expect.stringContaining("Too much time has passed")]);
  });

  test("shows a browser that is not bound to a continuation the way back to the project, and the correlation id", async () => {
    const shown = await openBrowser(identity).get(`${pages}/confirm`, { "x-correlation-id": "the-correlation-id" });
    expect(shown.status).toBe(422);
    expect(shown.html).toContain("the-correlation-id");
  });
});

test("shows pages and email in the transaction's language", async () => {
  const transaction = await makeTransaction(identity, { locale: "ja-JP" });
  const browser = openBrowser(identity);
  const first = await begin(identity, browser, transaction);
  expect(first.html).toContain('<html lang="ja" dir="ltr">');
  expect(first.html).toContain("サインイン");
  await browser.get(`${pages}/register`);
  await browser.submit("register", { password });
  const { message } = await readMail(identity, transaction.email);
  expect(message.parsed.subject).toContain("メールアドレスの確認");
  expect(message.parsed.html).toContain('lang="ja"');
});

test("shows pages and sends the code in the language that was chosen on the page, and keeps it", async () => {
  const transaction = await makeTransaction(identity, { locale: "ja-JP" });
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  const chosen = await browser.get(`${pages}/register?language=ar`);
  expect(chosen.at).toBe(`${pages}/register`);
  expect(chosen.html).toContain('<html lang="ar" dir="rtl">');
  expect(chosen.html).toContain('<option value="ar" lang="ar" selected>العربية</option>');
  await browser.submit("register", { password });
  const { code, message } = await readMail(identity, transaction.email);
  expect(message.parsed.subject).toContain("أكّد بريدك الإلكتروني");
  expect((await browser.submit("verify-email", { code: code ?? "" })).html).toContain('lang="ar"');
  expect((await browser.get(`${pages}/confirm?language=xx`)).html).toContain('lang="ar"');
});

test("shows an error in the browser's language if there is no transaction", async () => {
  const shown = await openBrowser(identity).get(`${pages}/nowhere`, { "accept-language": "sv, zh-TW;q=0.9, de;q=0.8" });
  expect(shown.html).toContain('<html lang="zh-Hant" dir="ltr">');
});

test("recovers the same continuation on an identical retry, and refuses another request under its key", async () => {
  const transaction = await makeTransaction(identity);
  const first = await makeContinuation(identity, transaction, { key: "one-key" });
  expect(await makeContinuation(identity, transaction, { key: "one-key" })).toEqual(first);
  const other = identity.migration.createHostedContinuation(
    { transactionId: transaction.id, flowToken: transaction.flowToken, returnUri, state: "another" },
    callAs(transaction.clientId, "one-key", "e".repeat(64)),
  );
  await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused" });
});

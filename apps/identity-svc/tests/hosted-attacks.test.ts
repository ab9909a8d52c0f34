import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, makeContinuation, openBrowser, pages } from "./hosted-browser.ts";
import { makeAccount, makeTransaction, password, readMail, refusal, returnUri, statusOf } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

/** A browser on the confirm page of a transaction, immediately before the accounts are linked. */
async function onConfirmPage() {
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email, verified: true });
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  await browser.submit("sign-in", { email: transaction.email, password });
  return { transaction, account, browser };
}

describe("a continuation", () => {
  test("refuses a continuation in a second browser, with or without a cookie of its own", async () => {
    const transaction = await makeTransaction(identity);
    const continuation = await makeContinuation(identity, transaction);
    const first = openBrowser(identity);
    await first.post(`${pages}/continue`, continuation);
    const second = openBrowser(identity);
    const refused = await second.post(`${pages}/continue`, continuation);
    expect(refused).toMatchObject({ status: 422, at: `${pages}/continue` });
    expect(second.cookies.size).toBe(0);
    await begin(identity, second, await makeTransaction(identity));
    expect((await second.post(`${pages}/continue`, continuation)).status).toBe(422);
    expect((await first.post(`${pages}/continue`, continuation)).at).toBe(`${pages}/sign-in`);
  });

  test("binds one of 20 browsers that post a continuation concurrently", async () => {
    const continuation = await makeContinuation(identity, await makeTransaction(identity));
    const shown = await Promise.all(
      Array.from({ length: 20 }, () => openBrowser(identity).post(`${pages}/continue`, continuation)),
    );
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(shown.filter(({ status }) => status === 422)).toHaveLength(19);
  });

  test("refuses a replayed continuation after its end", async () => {
    const transaction = await makeTransaction(identity);
    const continuation = await makeContinuation(identity, transaction);
    const browser = openBrowser(identity);
    await browser.post(`${pages}/continue`, continuation);
    await browser.submit("cancel");
    expect((await openBrowser(identity).post(`${pages}/continue`, continuation)).status).toBe(422);
    const again = await browser.post(`${pages}/continue`, continuation);
    expect(again.html).toContain("Nothing has been linked");
  });

  test("expires a continuation after ten minutes, and treats a wrong token like a continuation that does not exist", async () => {
    const transaction = await makeTransaction(identity);
    const continuation = await makeContinuation(identity, transaction);
    const wrong = { ...continuation, continuation_token: "0".repeat(64) };
    expect((await openBrowser(identity).post(`${pages}/continue`, wrong)).status).toBe(422);
    identity.clock.advanceSeconds(601);
    expect((await openBrowser(identity).post(`${pages}/continue`, continuation)).status).toBe(422);
    expect((await openBrowser(identity).get(`${pages}/sign-in`)).status).toBe(422);
  });

  test("refuses to create a continuation for a wrong flow_token, and locks the transaction after ten wrong ones", async () => {
    const transaction = await makeTransaction(identity);
    const wrong = { ...transaction, flowToken: "0".repeat(64) };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await refusal(makeContinuation(identity, wrong))).toBe("flow_token_invalid");
    }
    expect(await refusal(makeContinuation(identity, transaction))).toBe("flow_token_locked");
  });
});

describe("open redirect by a return_uri off the allow-list", () => {
  test.each([
    ["userinfo", "http://127.0.0.1:3999@evil.example/linked"],
    ["suffix of the host", "http://127.0.0.1:3999.evil.example/linked"],
    ["suffix of the path", `${returnUri}/../evil`],
    ["longer path", `${returnUri}2`],
    ["case", returnUri.toUpperCase()],
    ["encoded", "http://127.0.0.1:3999/%6cinked"],
    ["encoded slash", "http://127.0.0.1:3999%2flinked"],
    ["trailing dot", "http://127.0.0.1.:3999/linked"],
    ["trailing slash", `${returnUri}/`],
    ["query", `${returnUri}?next=//evil.example`],
    ["fragment", `${returnUri}#evil`],
    ["back slash", "http://127.0.0.1:3999\\@evil.example/linked"],
    ["other port", "http://127.0.0.1:4000/linked"],
    ["other name of the same host", "http://localhost:3999/linked"],
    ["https", "https://127.0.0.1:3999/linked"],
    ["script", "javascript:alert(1)"],
  ])("refuses a return_uri off the allow-list: %s", async (_variant, uri) => {
    const transaction = await makeTransaction(identity);
    expect(await refusal(makeContinuation(identity, transaction, { returnUri: uri }))).toBe("return_uri_not_allowed");
  });

  test("does not let state add parameters to the return_uri", async () => {
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    const state = "x&status=link_pending#y\r\nset-cookie: a=b";
    await browser.post(`${pages}/continue`, await makeContinuation(identity, transaction, { state }));
    const { at } = await browser.submit("cancel");
    const query = new URL(at).searchParams;
    expect(query.getAll("status")).toEqual(["cancelled"]);
    expect(query.get("state")).toBe(state);
  });
});

describe("CSRF by a form of another site", () => {
  test.each([
    ["no token", {}, {}],
    ["a made-up token", { form_token: "0".repeat(64) }, {}],
  ])("ignores a form with %s (CSRF)", async (_name, fields, headers) => {
    const { transaction, browser } = await onConfirmPage();
    expect((await browser.post(`${pages}/confirm`, fields, headers)).status).toBe(403);
    expect((await browser.post(`${pages}/cancel`, fields, headers)).status).toBe(403);
    expect((await browser.post(`${pages}/sign-out`, fields, headers)).status).toBe(403);
    expect(await statusOf(identity, transaction)).toBe("pending");
  });

  test("refuses a form with another browser's token or from another site", async () => {
    const { transaction, browser } = await onConfirmPage();
    const attacker = await onConfirmPage();
    const page = await attacker.browser.get(`${pages}/confirm`);
    const stolen = /name="form_token" value="([0-9a-f]{64})"/.exec(page.html)?.[1] ?? "";
    expect(stolen).not.toBe("");
    expect((await browser.post(`${pages}/confirm`, { form_token: stolen })).status).toBe(403);
    const own = await browser.get(`${pages}/confirm`);
    const token = /name="form_token" value="([0-9a-f]{64})"/.exec(own.html)?.[1] ?? "";
    const crossSite = { "sec-fetch-site": "cross-site" };
    expect((await browser.post(`${pages}/confirm`, { form_token: token }, crossSite)).status).toBe(403);
    expect(await statusOf(identity, transaction)).toBe("pending");
  });
});

describe("session fixation", () => {
  test("replaces a session that an attacker planted before the sign-in (session fixation)", async () => {
    const attacker = await makeAccount(identity, { verified: true });
    const transaction = await makeTransaction(identity);
    const victim = await makeAccount(identity, { email: transaction.email, verified: true });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    browser.cookies.set("platform_session", attacker.sessionToken);
    // The page shows whose session it is, so the victim notices and signs in again.
    expect((await browser.get(`${pages}/verify-email`)).html).toContain(attacker.email);
    await browser.submit("sign-out");
    await browser.submit("sign-in", { email: transaction.email, password });
    expect(browser.cookies.get("platform_session")).not.toBe(attacker.sessionToken);
    const { sessions } = await identity.accounts.listSessions({ accountId: attacker.accountId }, callAs(null));
    expect(sessions).toHaveLength(0);
    await browser.submit("confirm");
    const reply = await identity.migration.getIdentityMigrationTransaction(
      { transactionId: transaction.id },
      callAs(transaction.clientId),
    );
    expect(reply.transaction?.accountId).toBe(victim.accountId);
  });

  test("never accepts an invented session id (session fixation)", async () => {
    const transaction = await makeTransaction(identity);
    await makeAccount(identity, { email: transaction.email, verified: true });
    const browser = openBrowser(identity);
    const planted = `psess_${"a".repeat(32)}_${"b".repeat(64)}`;
    browser.cookies.set("platform_session", planted);
    await begin(identity, browser, transaction);
    await browser.submit("sign-in", { email: transaction.email, password });
    expect(browser.cookies.get("platform_session")).toMatch(/^psess_[0-9a-f]{32}_[0-9a-f]{64}$/);
    expect(browser.cookies.get("platform_session")).not.toBe(planted);
  });
});

describe("skipping steps", () => {
  test("redirects a confirmation that skips the verification back to the verification", async () => {
    const owner = await makeAccount(identity, { verified: true });
    identity.clock.advanceSeconds(1);
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.submit("sign-in", { email: owner.email, password });
    expect((await browser.submit("confirm")).at).toBe(`${pages}/verify-email`);
    expect(await statusOf(identity, transaction)).toBe("pending");
  });

  test("invalidates the code after five concurrent wrong codes, and when the next email is sent", async () => {
    const transaction = await makeTransaction(identity);
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    await browser.get(`${pages}/register`);
    await browser.submit("register", { password });
    const { code } = await readMail(identity, transaction.email);
    const wrong = code === "000000" ? "111111" : "000000";
    const shown = await Promise.all(Array.from({ length: 10 }, () => browser.submit("verify-email", { code: wrong })));
    expect(shown.filter(({ html }) => html.includes("This code is incorrect"))).toHaveLength(5);
    expect((await browser.submit("verify-email", { code: code ?? "" })).at).toBe(`${pages}/verify-email`);
    expect((await browser.submit("send-mail")).status).toBe(429);
    identity.clock.advanceSeconds(31);
    await browser.submit("send-mail");
    const second = await readMail(identity, transaction.email, 2);
    expect((await browser.submit("verify-email", { code: second.code ?? "" })).at).toBe(`${pages}/confirm`);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, type HostedBrowser, openBrowser, pages } from "./hosted-browser.ts";
import { freshEmail, makeAccount, makeTransaction, openSession, password } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

const newPassword = "seven purple umbrellas";
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

let lastSource = 0;

/** A browser with its own IP address, on the page that asks for the email address. */
async function onForgotPage(locale = "en"): Promise<HostedBrowser> {
  lastSource += 1;
  const browser = openBrowser(identity, `203.0.113.${lastSource}`);
  await begin(identity, browser, await makeTransaction(identity, { locale }));
  await browser.get(`${pages}/forgot-password`);
  return browser;
}

const mailsTo = (email: string, count = 0) =>
  identity.sink.messages({ channel: "email", to: email, count, waitMs: count === 0 ? 0 : 20_000 });

/** The path of the link in the `count`-th email to an address. */
async function mailedLink(email: string, count = 1): Promise<string> {
  const text: string = (await mailsTo(email, count))[count - 1]?.parsed.text ?? "";
  const link = /https?:\/\/\S+\/reset-password\/[0-9a-f]{64}/.exec(text)?.[0];
  if (link === undefined) throw new Error(`mail ${count} to ${email} has no link`);
  return new URL(link).pathname;
}

/** Asks for a link and opens it in another browser, which then shows the form. */
async function openedLink(email: string, count = 1) {
  const asking = await onForgotPage();
  await asking.submit("forgot-password", { email });
  const path = await mailedLink(email, count);
  const browser = openBrowser(identity, "198.51.100.77");
  const shown = await browser.get(path);
  return { asking, browser, path, shown, token: path.split("/").at(-1) ?? "" };
}

/** True if a person can sign in with a password. */
async function signsIn(email: string, withPassword: string): Promise<boolean> {
  lastSource += 1;
  const browser = openBrowser(identity, `192.0.2.${lastSource}`);
  await begin(identity, browser, await makeTransaction(identity));
  return (await browser.submit("sign-in", { email, password: withPassword })).status === 200;
}

describe("a forgotten password", () => {
  test("sets a new password when the person opens the emailed link and submits the form, and ends every session", async () => {
    const owner = await makeAccount(identity, { verified: true });
    const other = await openSession(identity, owner.accountId);
    const { asking, browser, path, shown, token } = await openedLink(owner.email);
    expect(shown.html).toContain(owner.email);
    expect(shown.headers.get("referrer-policy")).toBe("no-referrer");
    // Mail scanners open the link, which does not consume it.
    for (const method of ["HEAD", "GET"]) {
      expect((await fetch(identity.pagesUrl + path, { method, headers: { accept: "text/html" } })).status).toBe(200);
    }
    expect(await signsIn(owner.email, password)).toBe(true);
    const done = await browser.submit("reset-password", { token, password: newPassword });
    expect(done).toMatchObject({ status: 200 });
    expect(done.html).toContain("Your password has been changed");
    expect(await signsIn(owner.email, password)).toBe(false);
    expect(await signsIn(owner.email, newPassword)).toBe(true);
    for (const { sessionToken } of [owner, other]) {
      const [, sessionId = "", secret = ""] = sessionToken.split("_");
      const secretSha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", Buffer.from(secret)));
      const call = identity.authentication.authenticatePlatformSession({ sessionId, secretSha256 }, callAs(null));
      await expect(call).rejects.toMatchObject({ code: "unauthenticated" });
    }
    // The browser window in which the flow started continues with the new password.
    await asking.get(`${pages}/sign-in`);
    expect((await asking.submit("sign-in", { email: owner.email, password: newPassword })).status).toBe(200);
  });

  test("accepts a password link only once under concurrency, and invalidates earlier links", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const earlier = await openedLink(email);
    const { browser, token, path } = await openedLink(email, 2);
    const passwords = Array.from({ length: 10 }, (_, index) => `${newPassword} ${index}`);
    const shown = await Promise.all(
      passwords.map((each) => browser.submit("reset-password", { token, password: each })),
    );
    const won = shown.findIndex(({ status }) => status === 200);
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await signsIn(email, passwords[won] ?? "")).toBe(true);
    for (const dead of [path, earlier.path]) {
      expect(await browser.get(dead)).toMatchObject({ status: 422 });
    }
    const late = await earlier.browser.submit("reset-password", { token: earlier.token, password: "another one" });
    expect(late.status).toBe(422);
  });

  test("accepts the link for a forgotten password for an hour", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const { browser, path, token } = await openedLink(email);
    identity.clock.advanceSeconds(3601);
    expect((await browser.submit("reset-password", { token, password: newPassword })).status).toBe(422);
    expect((await browser.get(path)).html).toContain("This link cannot be used");
  });

  test("refuses a weak password and keeps the link valid", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const { browser, token } = await openedLink(email);
    const refused = await browser.submit("reset-password", { token, password: "short" });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain("at least 8 characters");
    expect((await browser.submit("reset-password", { token, password: newPassword })).status).toBe(200);
  });

  test("ends a session whose sign-in began before the new password", async () => {
    const owner = await makeAccount(identity, { verified: true });
    const { browser, token } = await openedLink(owner.email);
    await browser.submit("reset-password", { token, password: newPassword });
    const { sessionToken } = await openSession(identity, owner.accountId, 1);
    const late = await onForgotPage();
    late.cookies.set("platform_session", sessionToken);
    expect((await late.get(`${pages}/confirm`)).at).toBe(`${pages}/sign-in`);
  });

  test("shows the pages for a forgotten password in the transaction's language", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const browser = await onForgotPage("ja");
    await browser.submit("forgot-password", { email });
    const [mail] = await mailsTo(email, 1);
    expect(mail?.parsed.subject).toContain("パスワード");
    expect((await openBrowser(identity).get(await mailedLink(email))).html).toContain('<html lang="ja" dir="ltr">');
  });

  test("retries the password email after a temporary failure", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    identity.sink.setFault({ channel: "email", to: email, status: 451, times: 1 });
    await (await onForgotPage()).submit("forgot-password", { email });
    const [refused, sent] = await mailsTo(email, 2);
    expect([refused?.answered_status, sent?.answered_status]).toEqual([451, 250]);
  });
});

describe("asking for the link of a forgotten password", () => {
  test("returns the same response for known and unknown addresses, and emails only known ones", async () => {
    const known = (await makeAccount(identity, { verified: true })).email;
    const unknown = freshEmail();
    const faces = new Set<string>();
    for (const email of [known, unknown, "not an address"]) {
      const { status, at, html } = await (await onForgotPage()).submit("forgot-password", { email });
      faces.add(`${status} ${at} ${html.replaceAll(/[0-9a-f]{64}/g, "<token>")}`);
    }
    expect(faces.size).toBe(1);
    await mailedLink(known);
    expect(await mailsTo(unknown)).toEqual([]);
  });

  test("emails an address at most three times in 15 minutes, and returns the same response after that", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const shown = [];
    for (let round = 0; round < 6; round += 1) {
      shown.push((await (await onForgotPage()).submit("forgot-password", { email })).status);
    }
    expect(shown).toEqual(Array(6).fill(200));
    await mailsTo(email, 3);
    // An email to another address is sent afterwards. When it arrives, no further email to this address is on its
    // way.
    const { email: next } = await makeAccount(identity, { verified: true });
    await (await onForgotPage()).submit("forgot-password", { email: next });
    await mailsTo(next, 1);
    expect(await mailsTo(email)).toHaveLength(3);
  });

  test("refuses further requests from a source that has asked for twenty addresses", async () => {
    const browser = openBrowser(identity, "198.51.100.200");
    await begin(identity, browser, await makeTransaction(identity));
    const statuses: number[] = [];
    for (let round = 0; round < 22; round += 1) {
      await browser.get(`${pages}/forgot-password`);
      statuses.push((await browser.submit("forgot-password", { email: freshEmail() })).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual([429, 429]);
  });

  test("refuses other sites' forms that request a link or set a password (CSRF)", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const { browser, token } = await openedLink(email);
    const asking = await onForgotPage();
    expect((await asking.post(`${pages}/forgot-password`, { email })).status).toBe(403);
    expect((await browser.post(`${pages}/reset-password`, { token, password: newPassword })).status).toBe(403);
    await browser.get(`${pages}/reset-password/${token}`);
    const crossSite = { "sec-fetch-site": "cross-site" };
    const formToken = /name="form_token" value="([0-9a-f]{64})"/.exec(
      (await browser.get(`${pages}/reset-password/${token}`)).html,
    )?.[1];
    const fields = { token, form_token: formToken ?? "", password: newPassword };
    expect((await browser.post(`${pages}/reset-password`, fields, crossSite)).status).toBe(403);
    expect(await signsIn(email, password)).toBe(true);
  });
});

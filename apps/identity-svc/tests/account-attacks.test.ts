import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, growStale, personAtHome, signInToAccount } from "./account-browser.ts";
import { openBrowser } from "./hosted-browser.ts";
import { freshEmail, makeAccount, password, readMail } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

const sessionsOf = async (accountId: string): Promise<string[]> =>
  (await identity.accounts.listSessions({ accountId }, callAs(null))).sessions.map(({ id }) => id);

/** Every form of a signed-in person, with fields that would be accepted. */
const forms = [
  ["sign-out", {}],
  ["end-session", {}],
  ["end-other-sessions", {}],
  ["data", {}],
  ["password", { password: "chosen by the attacker" }],
  ["address", { email: "attacker@example.com" }],
  ["address-code", { code: "000000" }],
  ["delete", { understood: "yes" }],
  ["reauthenticate", { password, next: "delete" }],
] as const;

describe("CSRF", () => {
  test.each(forms)(
    "rejects the form %s without its token, with an invented one and with another person's",
    async (form, fields) => {
      const victim = await personAtHome(identity);
      const attacker = await personAtHome(identity);
      const foreign = /name="form_token" value="([0-9a-f]{64})"/.exec(attacker.shown.html)?.[1] ?? "";
      const before = await sessionsOf(victim.accountId);
      for (const token of [{}, { form_token: "0".repeat(64) }, { form_token: foreign }]) {
        const refused = await victim.browser.post(`${account}/${form}`, {
          ...fields,
          ...(form === "end-session" ? { session: victim.otherSessionId } : {}),
          ...token,
        });
        expect([refused.status, refused.html]).toEqual([403, expect.stringContaining("nothing was done")]);
      }
      expect(await sessionsOf(victim.accountId)).toEqual(before);
      expect((await signInToAccount(identity, victim.email)).shown.status).toBe(200);
    },
  );

  test("refuses a form with the right token if another site's page sends it", async () => {
    const { browser, shown } = await personAtHome(identity);
    const token = /name="form_token" value="([0-9a-f]{64})"/.exec(shown.html)?.[1] ?? "";
    const headers = { "sec-fetch-site": "cross-site" };
    const refused = await browser.post(`${account}/delete`, { form_token: token, understood: "yes" }, headers);
    expect(refused.status).toBe(403);
  });

  test("refuses a sign-in form that this browser was not shown (login CSRF)", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const attackers = await openBrowser(identity).get(`${account}/sign-in`);
    const token = /name="form_token" value="([0-9a-f]{64})"/.exec(attackers.html)?.[1] ?? "";
    const victim = openBrowser(identity);
    const refused = await victim.post(`${account}/sign-in`, { form_token: token, email, password });
    expect(refused.status).toBe(403);
    expect(victim.cookies.has("platform_session")).toBe(false);
  });
});

describe("session fixation", () => {
  test("opens a new session at the sign-in and ends the one that an attacker planted (session fixation)", async () => {
    const attacker = await personAtHome(identity);
    const planted = attacker.browser.cookies.get("platform_session") ?? "";
    const victim = await makeAccount(identity, { verified: true });
    const browser = openBrowser(identity);
    // A signed-in person is redirected away from the sign-in page, so the victim first signs out of the planted
    // session, or uses the sign-in page in an old tab.
    await browser.get(`${account}/sign-in`);
    browser.cookies.set("platform_session", planted);
    await browser.submit("account/sign-in", { email: victim.email, password });
    expect(browser.cookies.get("platform_session")).not.toBe(planted);
    expect((await attacker.browser.get(account)).at).toBe(`${account}/sign-in`);
  });

  test("opens a new session after the password was entered again, and ends the previous one", async () => {
    const { browser } = await personAtHome(identity);
    const stolen = browser.cookies.get("platform_session") ?? "";
    growStale(identity);
    await browser.get(`${account}/reauthenticate?next=password`);
    await browser.submit("account/reauthenticate", { password });
    const thief = openBrowser(identity);
    thief.cookies.set("platform_session", stolen);
    expect((await thief.get(account)).at).toBe(`${account}/sign-in`);
  });
});

describe("another person's session", () => {
  test("treats a request to end another person's session like one for an unknown session, and keeps it open", async () => {
    const victim = await personAtHome(identity);
    const attacker = await personAtHome(identity);
    const foreign = await attacker.browser.submit("account/end-session", { session: victim.otherSessionId });
    const absent = await attacker.browser.submit("account/end-session", { session: "0".repeat(32) });
    expect(foreign.html).not.toContain("has been signed out");
    expect(foreign.status).toBe(absent.status);
    expect(await sessionsOf(victim.accountId)).toContain(victim.otherSessionId);
  });

  test("shows the progress of a deletion only to the browser that requested it", async () => {
    const { browser } = await personAtHome(identity);
    await browser.get(`${account}/delete`);
    await browser.submit("account/delete", { understood: "yes" });
    expect((await browser.get(`${account}/deleted`)).html).toContain("is being deleted");
    expect((await openBrowser(identity).get(`${account}/deleted`)).at).toBe(`${account}/sign-in`);
  });
});

describe("a session that was left open or stolen", () => {
  test.each([
    ["password", { password: "chosen by the thief" }],
    ["address", { email: "thief@example.com" }],
    ["address-code", { code: "000000" }],
    ["data", {}],
    ["delete", { understood: "yes" }],
  ] as const)(
    "asks for the password before the form %s once the sign-in is older than ten minutes",
    async (form, fields) => {
      const { browser, accountId, email } = await personAtHome(identity);
      growStale(identity);
      await browser.get(account);
      const asked = await browser.submit(`account/${form}`, fields);
      expect(asked.at).toMatch(/\/account\/reauthenticate\?next=[a-z]+$/);
      expect(asked.headers.get("content-disposition")).toBeNull();
      expect((await browser.submit("account/reauthenticate", { password: "a guess" })).status).toBe(422);
      expect(await sessionsOf(accountId)).not.toEqual([]);
      expect((await signInToAccount(identity, email)).shown.at).toBe(account);
    },
  );

  test("rejects every password, even the right one, after ten wrong guesses (brute force)", async () => {
    const { browser } = await personAtHome(identity);
    growStale(identity);
    await browser.get(`${account}/reauthenticate?next=delete`);
    for (let guess = 0; guess < 10; guess += 1) {
      expect((await browser.submit("account/reauthenticate", { password: `guess ${guess}` })).status).toBe(422);
    }
    const locked = await browser.submit("account/reauthenticate", { password });
    expect(locked.status).toBe(429);
    expect(locked.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("account enumeration", () => {
  test("returns the same response for an unknown address and a wrong password", async () => {
    const { email } = await makeAccount(identity, { verified: true });
    const answers = [];
    for (const tried of [email, freshEmail()]) {
      const browser = openBrowser(identity);
      await browser.get(`${account}/sign-in`);
      const { status, html } = await browser.submit("account/sign-in", { email: tried, password: "not the password" });
      answers.push([status, html.replaceAll(tried, "ADDRESS").replaceAll(/[0-9a-f]{64}/g, "TOKEN")]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test("returns the same response whether or not another account has the address, and reports it only by email", async () => {
    const { email: taken } = await makeAccount(identity, { verified: true });
    const answers = [];
    for (const asked of [taken, freshEmail()]) {
      const { browser } = await personAtHome(identity);
      await browser.get(`${account}/address`);
      const { status, at, html } = await browser.submit("account/address", { email: asked });
      answers.push([status, at, html.replaceAll(asked, "ADDRESS").replaceAll(/[0-9a-f]{64}/g, "TOKEN")]);
      const { code, message } = await readMail(identity, asked);
      expect(code === null).toBe(asked === taken);
      if (asked === taken) expect(message.parsed.text).toContain("belongs to your account");
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe("guessing and flooding", () => {
  test("invalidates the code after five concurrent wrong guesses", async () => {
    const { browser, email } = await personAtHome(identity);
    const next = freshEmail();
    await browser.get(`${account}/address`);
    await browser.submit("account/address", { email: next });
    const { code } = await readMail(identity, next);
    const wrong = code === "000000" ? "111111" : "000000";
    const form_token = /name="form_token" value="([0-9a-f]{64})"/.exec((await browser.get(account)).html)?.[1] ?? "";
    const guess = (value: string) => browser.post(`${account}/address-code`, { form_token, code: value });
    await Promise.all(Array.from({ length: 5 }, () => guess(wrong)));
    const late = await guess(code ?? "");
    expect([late.status, late.html]).toEqual([422, expect.stringContaining("can no longer be used")]);
    expect((await signInToAccount(identity, email)).shown.at).toBe(account);
  });

  test("sends at most three codes to an address in 15 minutes, for all requesters together", async () => {
    const stranger = freshEmail();
    const statuses: number[] = [];
    for (let request = 0; request < 4; request += 1) {
      const { browser } = await personAtHome(identity);
      await browser.get(`${account}/address`);
      statuses.push((await browser.submit("account/address", { email: stranger })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

import { connectGrpc } from "@platform/kit/rpc/client";
import { ErasureService } from "@platform/proto/identity/v1/erasure";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, personAtHome, signInToAccount } from "./account-browser.ts";
import { begin, type HostedBrowser, openBrowser } from "./hosted-browser.ts";
import {
  confirm,
  freshEmail,
  type MadeTransaction,
  makeTransaction,
  openSession,
  password,
  readMail,
} from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

const sessionsOf = async (accountId: string): Promise<string[]> =>
  (await identity.accounts.listSessions({ accountId }, callAs(null))).sessions.map(({ id }) => id);

/** Links a person to a new project on the pages of a migration; the project does not confirm it. */
async function linkProject(person: { email: string; browser: HostedBrowser }): Promise<MadeTransaction> {
  const transaction = await makeTransaction(identity);
  await begin(identity, person.browser, transaction);
  await person.browser.submit("send-mail");
  const { code } = await readMail(identity, person.email);
  await person.browser.submit("verify-email", { code: code ?? "" });
  await person.browser.submit("confirm");
  return transaction;
}

describe("the account page", () => {
  test("shows the address, the sessions and the data of the person who signs in", async () => {
    const { shown, email } = await personAtHome(identity);
    expect(shown).toMatchObject({ status: 200, at: account });
    expect(shown.html).toContain(`<bdi>${email}</bdi>`);
    expect(shown.html).toContain("Confirmed on ");
    expect(shown.html).toContain("No project is linked to your account.");
    expect(shown.html).toContain("This browser");
    expect(shown.html).toContain("Sign out the other session");
  });

  test("redirects everyone without a session to the sign-in, from every page", async () => {
    for (const page of ["", "/password", "/address", "/delete", "/deleted", "/reauthenticate"]) {
      expect((await openBrowser(identity).get(`${account}${page}`)).at).toBe(`${account}/sign-in`);
    }
  });

  test("shows the account page in the browser's language, or in a chosen one", async () => {
    const browser = openBrowser(identity);
    const german = await browser.get(`${account}/sign-in`, { "accept-language": "de-CH, en;q=0.5" });
    expect(german.html).toContain("Melden Sie sich bei Ihrem Konto an");
    expect((await browser.get(`${account}/sign-in?language=ko`)).html).toContain("내 계정에 로그인");
  });

  test("ends one session, then all others, and keeps its own", async () => {
    const { browser, accountId, otherSessionId } = await personAtHome(identity);
    const third = await openSession(identity, accountId);
    const ended = await browser.submit("account/end-session", { session: otherSessionId });
    expect(ended.html).toContain("The session has been signed out.");
    expect((await browser.get(account)).html).not.toContain("The session has been signed out.");
    const left = await sessionsOf(accountId);
    expect(left).toHaveLength(2);
    expect(left).toContain(third.sessionId);
    expect((await browser.submit("account/end-other-sessions")).html).toContain("signed out everywhere else");
    expect(await sessionsOf(accountId)).toHaveLength(1);
    expect((await browser.get(account)).at).toBe(account);
    expect((await browser.submit("account/sign-out")).at).toBe(`${account}/sign-in`);
    expect(await sessionsOf(accountId)).toEqual([]);
  });

  test("downloads all data that is stored about the person", async () => {
    const { browser, accountId, email } = await personAtHome(identity);
    const { html, headers } = await browser.submit("account/data");
    expect(headers.get("content-disposition")).toBe('attachment; filename="platform-account.json"');
    const data = JSON.parse(html) as { account: object; sessions: object[]; identity_migrations: object[] };
    expect(data.account).toMatchObject({ id: accountId, addresses: [{ email }] });
    expect(data.sessions).toHaveLength(2);
    expect(html).not.toMatch(/secret|hash|argon2/);
  });
});

describe("changing the password", () => {
  test("ends all other sessions after a password change, keeps this one, and emails the person", async () => {
    const { browser, accountId, email } = await personAtHome(identity);
    await browser.get(`${account}/password`);
    expect((await browser.submit("account/password", { password: "short" })).status).toBe(422);
    const changed = await browser.submit("account/password", { password: "another good password" });
    expect(changed.html).toContain("Your password has been changed.");
    expect(await sessionsOf(accountId)).toHaveLength(1);
    expect((await browser.get(account)).at).toBe(account);
    const { message } = await readMail(identity, email);
    expect(message.parsed.subject).toBe("Your password was changed");
    expect((await signInToAccount(identity, email)).shown.status).toBe(422);
  });
});

describe("changing the address", () => {
  test("asks for the code that the new address received, and reports the change to the old one", async () => {
    const { browser, email } = await personAtHome(identity);
    const next = freshEmail();
    await browser.get(`${account}/address`);
    expect((await browser.submit("account/address", { email: "not an address" })).status).toBe(422);
    expect((await browser.submit("account/address", { email: email.toUpperCase() })).status).toBe(422);
    expect((await browser.submit("account/address", { email: ` ${next.toUpperCase()} ` })).html).toContain(next);
    const { code } = await readMail(identity, next);
    const changed = await browser.submit("account/address-code", { code: ` ${code} ` });
    expect(changed.html).toContain("Your email address has been changed.");
    expect(changed.html).toContain(`<bdi>${next}</bdi>`);
    expect((await readMail(identity, email)).message.parsed.subject).toContain("was changed");
    expect((await signInToAccount(identity, email)).shown.status).toBe(422);
    expect((await signInToAccount(identity, next)).shown.at).toBe(account);
  });

  test("accepts only the newest code, and no code after ten minutes", async () => {
    const { browser } = await personAtHome(identity);
    const [first, second] = [freshEmail(), freshEmail()];
    await browser.get(`${account}/address`);
    await browser.submit("account/address", { email: first });
    const old = await readMail(identity, first);
    await browser.get(`${account}/address?asked=1`);
    await browser.submit("account/address", { email: second });
    const current = await readMail(identity, second);
    expect(old.code).not.toBe(current.code);
    expect((await browser.submit("account/address-code", { code: old.code ?? "" })).status).toBe(422);
    identity.clock.advanceSeconds(590);
    await browser.get(account);
    identity.clock.advanceSeconds(11);
    await browser.get(`${account}/reauthenticate?next=address`);
    await browser.submit("account/reauthenticate", { password });
    const late = await browser.submit("account/address-code", { code: current.code ?? "" });
    expect(late.html).toContain("New email address");
  });
});

describe("deleting the account", () => {
  test("starts the erasure in every service, signs out, and shows when it is done", async () => {
    const { browser, accountId, email } = await personAtHome(identity);
    await browser.get(`${account}/delete`);
    const careless = await browser.submit("account/delete");
    expect([careless.status, careless.html]).toEqual([422, expect.stringContaining("Tick the box")]);
    const deleting = await browser.submit("account/delete", { understood: "yes" });
    expect(deleting.at).toBe(`${account}/deleted`);
    expect(deleting.html).toContain("Your account is being deleted");
    expect((await browser.get(account)).at).toBe(`${account}/sign-in`);
    expect((await signInToAccount(identity, email)).shown.status).toBe(422);
    const services = connectGrpc({ address: `127.0.0.1:${identity.server.grpcPort}`, tls: null });
    const erasures = services.service(ErasureService);
    for (const service of ["notify", "events", "files", "ads"]) {
      const { erasures: open } = await erasures.listOpenErasures({ service }, callAs(null));
      const own = open.find((erasure) => erasure.accountId === accountId);
      expect(own?.emails).toEqual([email]);
      await erasures.reportErasure({ erasureId: own?.id ?? "", service, erased: 1 }, callAs(null));
    }
    services.close();
    await eventually(async () => (await browser.get(`${account}/deleted`)).html.includes("has been deleted"), {
      what: "the end of the erasure",
    });
    expect((await identity.support.findAccounts({ email }, callAs(null))).accounts).toEqual([]);
  });
});

test("lists a project as linked only once it has confirmed, and exports it", async () => {
  const person = await personAtHome(identity);
  const transaction = await linkProject(person);
  expect((await person.browser.get(account)).html).toContain("Waiting for Test project to confirm");
  await confirm(identity, transaction);
  const shown = await person.browser.get(account);
  expect(shown.html).toContain("Linked on ");
  expect(shown.html).toContain(transaction.email);
  const data = JSON.parse((await person.browser.submit("account/data")).html);
  expect(data.identity_migrations).toMatchObject([
    { id: transaction.id, status: "completed", email: transaction.email },
  ]);
});

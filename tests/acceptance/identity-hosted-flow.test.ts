import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import {
  arrive,
  enterCode,
  openProjectSite,
  type ProjectSite,
  password,
  readMail,
  readStatus,
  register,
  type Started,
  signIn,
  startMigration,
} from "./identity-person.ts";
import { acceptanceStack } from "./stack.ts";

let browser: Browser;
let site: ProjectSite;
beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), openProjectSite()]);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Returns the query of the latest return to the project. */
function lastReturn(): Record<string, string> {
  return Object.fromEntries(site.returns.at(-1) ?? []);
}

async function confirmLink(started: Started) {
  return acceptanceStack.api("POST", `/identity-migration-transactions/${started.id}/confirm-link`, {
    credential: site.client.credential,
  });
}

test("registers and verifies a new person by the emailed code, returns to return_uri, and is completed by the backend", async () => {
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await register(person);
  await enterCode(person, (await readMail(started.email)).code);
  expect((await readStatus(site, started.id)).status).toBe("pending");
  await person.page.getByRole("button", { name: "Link accounts" }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect(lastReturn()).toEqual({ transaction_id: started.id, state: started.state, status: "link_pending" });
  const linked = await readStatus(site, started.id);
  expect(linked.status).toBe("link_pending");
  const completed = await confirmLink(started);
  expect(completed).toMatchObject({
    status: 200,
    json: { data: { status: "completed", account_id: linked.account_id } },
  });
  expect((await confirmLink(started)).json).toEqual(completed.json);

  const tokens = [started.flowToken, started.continuation.continuation_token];
  const cookies = await person.context.cookies();
  const secrets = [...tokens, ...cookies.map(({ value }) => value.split(/[_.]/).at(-1) ?? "")];
  expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([
    [true, "Lax"],
    [true, "Lax"],
  ]);
  for (const secret of secrets) expect(person.visited.filter((url) => url.includes(secret))).toEqual([]);
  const hosts = new Set(person.visited.map((url) => new URL(url).host));
  expect([...hosts].toSorted()).toEqual([new URL(acceptanceStack.baseUrl).host, new URL(site.url).host].toSorted());
  await person.context.close();
});

test("signs a person in, proves the address again and links that account", async () => {
  const email = `${randomUUID()}@example.com`;
  const account = await acceptanceStack.ctl([
    "accounts",
    "create",
    "--email",
    email,
    "--password",
    password,
    "--verified",
  ]);
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await signIn(person, email);
  await enterCode(person, (await readMail(email)).code);
  await person.page.getByRole("button", { name: "Link accounts" }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect(lastReturn().status).toBe("link_pending");
  expect((await confirmLink(started)).json.data).toMatchObject({ status: "completed", account_id: account.id });
  await person.context.close();
});

test("sends a registration email without a link that a scanner could follow", async () => {
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await register(person);
  const { code, text } = await readMail(started.email);
  expect(text).not.toMatch(/https?:/);
  expect(await person.page.getByRole("link", { name: "I opened the link: continue" }).count()).toBe(0);
  await enterCode(person, code);
  await person.page.getByRole("button", { name: "Link accounts" }).waitFor();
  await person.context.close();
});

test("verifies by the emailed link in another browser without signing that browser in, and continues in the first one", async () => {
  const email = `${randomUUID()}@example.com`;
  await acceptanceStack.ctl(["accounts", "create", "--email", email, "--password", password, "--verified"]);
  const started = await startMigration(site, { email });
  const person = await arrive(browser, site, started);
  await signIn(person, email);
  const { link } = await readMail(started.email);
  const elsewhere = await browser.newContext({ javaScriptEnabled: false });
  const mailWindow = await elsewhere.newPage();
  const answer = await mailWindow.goto(link);
  expect(answer?.status()).toBe(200);
  await mailWindow.getByRole("heading", { name: "Email address confirmed" }).waitFor();
  expect(await elsewhere.cookies()).toEqual([]);
  expect((await mailWindow.goto(link))?.status()).toBe(422);
  await person.page.getByRole("link", { name: "I opened the link: continue" }).click();
  await person.page.getByRole("button", { name: "Link accounts" }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect((await readStatus(site, started.id)).status).toBe("link_pending");
  await Promise.all([person.context.close(), elsewhere.close()]);
});

test("returns with status=cancelled on cancel, and links nothing", async () => {
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await person.page.getByRole("button", { name: /^Cancel/ }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect(lastReturn()).toEqual({ transaction_id: started.id, state: started.state, status: "cancelled" });
  expect((await readStatus(site, started.id)).status).toBe("pending");
  await person.context.close();
});

test("refuses to continue in a second browser, and shows it why", async () => {
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await person.page.getByRole("heading", { name: "Sign in to link your account" }).waitFor();
  const other = await browser.newContext({ javaScriptEnabled: false });
  const page = await other.newPage();
  await page.goto(site.offer(started.continuation));
  const refused = page.waitForResponse((response) => response.url().endsWith("/identity-migration/continue"));
  await page.getByRole("button", { name: "Link my account" }).click();
  const response = await refused;
  expect(response.status()).toBe(422);
  await page.getByRole("heading", { name: "This link is already in use" }).waitFor();
  expect(await page.locator("code").textContent()).toBe(response.headers()["x-correlation-id"]);
  expect(await other.cookies()).toEqual([]);
  await Promise.all([person.context.close(), other.close()]);
});

test("shows a Japanese person Japanese pages and email", async () => {
  const started = await startMigration(site, { locale: "ja" });
  const person = await arrive(browser, site, started);
  await person.page.getByRole("heading", { name: "サインインしてアカウントを連携" }).waitFor();
  await person.page.getByRole("link", { name: "新規登録" }).click();
  await person.page.getByLabel("新しいパスワード").fill(password);
  await person.page.getByRole("button", { name: "登録する" }).click();
  expect((await readMail(started.email)).text).toContain("確認コード");
  await person.context.close();
});

import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings, loadAxe } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { arrive, openProjectSite, type ProjectSite, password, readStatus, startMigration } from "./identity-person.ts";
import { arrived } from "./notify-sink.ts";
import { api, ctl } from "./stack.ts";

const newPassword = "seven purple umbrellas";
let browser: Browser;
let site: ProjectSite;
beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), openProjectSite()]);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Returns the link in the email for a forgotten password. */
async function mailedLink(email: string): Promise<string> {
  const [mail] = await arrived("email", email);
  return /https?:\/\/\S+\/reset-password\/[0-9a-f]{64}/.exec(mail?.parsed.text ?? "")?.[0] ?? "";
}

async function ownerOf(email: string) {
  const account = await ctl(["accounts", "create", "--email", email, "--password", password, "--verified"]);
  return { ...account, ...(await ctl(["sessions", "create", "--account", account.id])) };
}

test("sets a forgotten password without JavaScript, and continues in the first window", async () => {
  const email = `${randomUUID()}@example.com`;
  const started = await startMigration(site, { email });
  const owner = await ownerOf(email);
  const person = await arrive(browser, site, started);
  await person.page.getByRole("link", { name: "Forgot your password?" }).click();
  await person.page.getByRole("button", { name: "Send the email" }).click();
  await person.page.getByRole("heading", { name: "Check your email" }).waitFor();
  const link = await mailedLink(email);

  const elsewhere = await browser.newContext({ javaScriptEnabled: false });
  const mailWindow = await elsewhere.newPage();
  // The link is opened twice, as if a mail scanner had opened it first. Only the button consumes it.
  expect((await mailWindow.goto(link))?.status()).toBe(200);
  expect((await mailWindow.goto(link))?.status()).toBe(200);
  await mailWindow.getByLabel("New password").fill(newPassword);
  await mailWindow.getByRole("button", { name: "Set the password" }).click();
  await mailWindow.getByRole("heading", { name: "Your password has been changed" }).waitFor();
  expect(mailWindow.url()).not.toContain(link.split("/").at(-1));
  expect((await mailWindow.goto(link))?.status()).toBe(422);
  expect(await elsewhere.cookies()).toEqual([]);

  const path = `/identity-migration-transactions/${started.id}/link`;
  await eventually(
    async () => {
      const body = { flow_token: started.flowToken };
      return (await api("POST", path, { credential: owner.session, body })).status === 401;
    },
    { timeoutMs: 3_000, what: "the old session ended" },
  );
  await person.page.getByRole("link", { name: "Back to sign-in" }).click();
  const signIn = async (typed: string): Promise<void> => {
    await person.page.getByLabel("Password").fill(typed);
    await person.page.getByRole("button", { name: "Sign in" }).click();
  };
  await signIn(password);
  await person.page.getByText("The email address or the password is incorrect.").waitFor();
  await signIn(newPassword);
  await person.page.getByRole("button", { name: "Link accounts" }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect(await readStatus(site, started.id)).toMatchObject({ status: "link_pending", account_id: owner.id });
  await Promise.all([person.context.close(), elsewhere.close()]);
});

test.each(["en", "ja"])(
  "shows the pages of a forgotten password usable by keyboard and without axe findings, in %s",
  async (locale) => {
    const email = `${randomUUID()}@example.com`;
    const started = await startMigration(site, { email, locale });
    await ownerOf(email);
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    await loadAxe(context);
    const page = await context.newPage();
    const problems: string[] = [];
    const check = async (name: string): Promise<void> => {
      problems.push(...(await axeFindings(page)).map(({ id }) => `${name}: ${id}`));
      if ((await page.locator("html").getAttribute("lang")) !== locale) problems.push(`${name}: wrong language`);
    };
    await page.goto(site.offer(started.continuation));
    await page.getByRole("button", { name: "Link my account" }).click();
    await tabTo(page, 'a[href$="/forgot-password"]');
    await leaveBy(page, "Enter");
    await check("forgot password");
    await tabTo(page, "#email");
    await leaveBy(page, "Enter");
    await check("asked");
    await page.goto(await mailedLink(email));
    await check("new password");
    await tabTo(page, "#password");
    await page.keyboard.type("short");
    await leaveBy(page, "Enter");
    await check("refused");
    await tabTo(page, "#password");
    await page.keyboard.type(newPassword);
    await leaveBy(page, "Enter");
    await check("changed");
    await tabTo(page, 'a[href$="/sign-in"]');
    await leaveBy(page, "Enter");
    await page.locator("#password").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  },
);

/** Presses Tab until an element of that kind has the focus. Fails if it cannot be reached. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 15; step += 1) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    if ((await focused.count()) === 0) continue;
    if (await focused.evaluate((element, wanted) => element.matches(wanted), selector)) return;
  }
  throw new Error(`${selector} cannot be reached by keyboard`);
}

async function leaveBy(page: Page, key: string): Promise<void> {
  await Promise.all([page.waitForEvent("domcontentloaded"), page.keyboard.press(key)]);
}

import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings, loadAxe } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { password } from "./identity-person.ts";
import { arrived } from "./notify-sink.ts";
import { acceptanceStack, ctl } from "./stack.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function makeAccount(): Promise<{ id: string; email: string }> {
  const email = `${randomUUID()}@example.com`;
  const { id } = await ctl(["accounts", "create", "--email", email, "--password", password, "--verified"]);
  return { id, email };
}

/** Opens the public address of the account page and signs in. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${acceptanceStack.baseUrl}/account`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your account", exact: true }).waitFor();
}

test.each([
  ["desktop", { width: 1440, height: 900 }, "light"],
  ["phone", { width: 390, height: 844 }, "dark"],
] as const)(
  "renders every account page without an axe finding or a horizontal scroll bar on a %s",
  async (_device, viewport, colorScheme) => {
    const { email } = await makeAccount();
    const context = await browser.newContext({ viewport, colorScheme });
    await loadAxe(context);
    const page = await context.newPage();
    const problems: string[] = [];
    const check = async (name: string): Promise<void> => {
      for (const { id, elements } of await axeFindings(page)) problems.push(`${name}: ${id} ${elements.join(" ")}`);
      const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
      if (overflow > 0) problems.push(`${name}: ${overflow} px too wide`);
    };
    await page.goto(`${acceptanceStack.baseUrl}/account`);
    await check("sign in");
    await signIn(page, email);
    await check("account");
    await page.getByRole("link", { name: "Change email address" }).click();
    await page.getByLabel("New email address").fill(`new-${email}`);
    await page.getByRole("button", { name: "Send the code" }).click();
    await page.getByLabel("Six-digit code").waitFor();
    await check("code");
    const [mail] = await arrived("email", `new-${email}`);
    await page.getByLabel("Six-digit code").fill(/\b\d{6}\b/.exec(mail?.parsed.text ?? "")?.[0] ?? "");
    await page.getByRole("button", { name: "Change email address" }).click();
    await page.getByText("Your email address has been changed.").waitFor();
    await check("changed");
    await page.getByRole("link", { name: "Delete my account" }).click();
    await page.getByRole("button", { name: "Delete my account" }).click();
    await check("delete");
    expect(problems).toEqual([]);
    await context.close();
  },
);

test("deletes an account without JavaScript, and shows the end of the erasure in every service", async () => {
  const { id, email } = await makeAccount();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page, email);
  await page.getByRole("link", { name: "Delete my account" }).click();
  await page.getByLabel("I understand").check();
  await page.getByRole("button", { name: "Delete my account" }).click();
  // The page refreshes itself until every service has finished its part.
  await page.getByRole("heading", { name: "Your account has been deleted" }).waitFor();
  const erasureId = await page.locator("code").textContent();
  const { status, steps } = await ctl(["erasures", "show", "--erasure", erasureId ?? ""]);
  expect([status, new Set(steps.map((step: { status: string }) => step.status))]).toEqual(["done", new Set(["done"])]);
  expect(await ctl(["accounts", "show", "--account", id])).toMatchObject({ id, status: "disabled" });
  expect((await ctl(["accounts", "find", "--email", email])).items).toEqual([]);
  await page.goto(`${acceptanceStack.baseUrl}/account`);
  await page.getByRole("heading", { name: "Sign in to your account" }).waitFor();
  await context.close();
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, loadAxe } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import {
  openProjectSite,
  type ProjectSite,
  password,
  readMail,
  readStatus,
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

const pagesUrl = `${acceptanceStack.baseUrl}/api/v1/identity-migration`;

/** Sends the main form of the page. Its labels depend on the language, but its structure does not. */
async function sendMainForm(page: Page): Promise<void> {
  await page.locator("main form button:is(.btn-primary, .btn-danger)").first().click();
}

/**
 * Elements whose content is cut off because it is larger than they are, except long project names, which end in an
 * ellipsis.
 */
const cutElements = `[...document.querySelectorAll("header, main, footer, main *, footer *")]
  .filter((element) => !element.closest(".project, .visually-hidden, input, select, progress"))
  .filter((element) => getComputedStyle(element).overflowX !== "visible" || element.matches("button, a, label"))
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
  .map((element) => element.outerHTML.slice(0, 80))`;

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };
const largerPhone = { width: 390, height: 844 };

describe.each([
  ["en", "desktop", desktop, "light"],
  ["ja", "desktop", desktop, "light"],
  ["en", "phone", phone, "light"],
  ["ja", "phone", phone, "light"],
  ["de", "phone", largerPhone, "dark"],
  ["ar", "phone", largerPhone, "light"],
] as const)("in %s on a %s", (locale, _device, viewport, colorScheme) => {
  test(`shows no page with an axe finding, a horizontal scroll bar or cut text (${colorScheme})`, async () => {
    const context = await browser.newContext({ viewport, colorScheme });
    await loadAxe(context);
    const page = await context.newPage();
    const problems: string[] = [];
    const check = async (name: string): Promise<void> => {
      for (const { id, elements } of await axeFindings(page)) problems.push(`${name}: ${id} ${elements.join(" ")}`);
      const overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      if (Number(overflow) > 0) problems.push(`${name}: ${overflow} px too wide`);
      for (const cut of await page.evaluate<string[]>(cutElements)) problems.push(`${name}: cut ${cut}`);
      const html = page.locator("html");
      if ((await html.getAttribute("lang")) !== locale) problems.push(`${name}: wrong language`);
      const direction = locale === "ar" ? "rtl" : "ltr";
      if ((await html.evaluate("getComputedStyle(document.body).direction")) !== direction) {
        problems.push(`${name}: not written ${direction}`);
      }
    };
    const started = await startMigration(site, { locale });
    await page.goto(site.offer(started.continuation));
    await page.getByRole("button", { name: "Link my account" }).click();
    await check("sign in");
    await page.locator("#password").fill("not the password");
    await sendMainForm(page);
    await check("sign in refused");
    await page.goto(`${pagesUrl}/register`);
    await page.locator("#password").fill("short");
    await sendMainForm(page);
    await check("register refused");
    await page.locator("#password").fill(password);
    await sendMainForm(page);
    await check("verify email");
    await page.locator("#code").fill("000000");
    await sendMainForm(page);
    await check("wrong code");
    await page.locator("#code").fill((await readMail(started.email)).code);
    await sendMainForm(page);
    await check("confirm");
    await page.locator("button.quiet").click();
    // The page redirects to the project by itself, which would interrupt another navigation.
    await page.waitForURL(/[?&]status=cancelled/);
    await page.goto(`${pagesUrl}/sign-in`);
    await check("cancelled");
    expect(problems).toEqual([]);
    await context.close();
  });
});

test("completes the flow using only the keyboard, with visible focus throughout", async () => {
  const context = await browser.newContext({ javaScriptEnabled: true });
  const page = await context.newPage();
  const started = await startMigration(site);
  await page.goto(site.offer(started.continuation));
  /** Presses Tab until an element of that kind has the focus. Fails if it cannot be reached. */
  const tabTo = async (selector: string): Promise<void> => {
    for (let step = 0; step < 15; step += 1) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      if ((await focused.count()) === 0) continue;
      if (await focused.evaluate((element, wanted) => element.matches(wanted), selector)) {
        const outline = await focused.evaluate(
          "document.activeElement && getComputedStyle(document.activeElement).outlineStyle",
        );
        expect(outline).not.toBe("none");
        return;
      }
    }
    throw new Error(`${selector} cannot be reached by keyboard`);
  };
  const leaveBy = async (key: string): Promise<void> => {
    await Promise.all([page.waitForEvent("domcontentloaded"), page.keyboard.press(key)]);
  };
  await tabTo("button");
  await leaveBy("Enter");
  await tabTo('a[href$="/register"]');
  await leaveBy("Enter");
  await tabTo("#password");
  await page.keyboard.type(password);
  await tabTo("button.reveal");
  await page.keyboard.press("Space");
  expect(await page.locator("#password").getAttribute("type")).toBe("text");
  await page.keyboard.press("Shift+Tab");
  await leaveBy("Enter");
  const { code } = await readMail(started.email);
  await tabTo("#code");
  await page.keyboard.type(code);
  await leaveBy("Enter");
  await tabTo('form[action$="/confirm"] button');
  await leaveBy("Enter");
  await page.getByRole("heading", { name: "Back at the project" }).waitFor();
  expect((await readStatus(site, started.id)).status).toBe("link_pending");
  await context.close();
});

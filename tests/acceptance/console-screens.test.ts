import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { openWindow, roles, screens, signIn } from "./console-person.ts";
import { acceptanceStack, api, ctl } from "./stack.ts";

const { consoleUrl, env: demo } = acceptanceStack;
const client = demo.PROJECT_CLIENT_ID ?? "";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe.each(roles)("as %s", (role) => {
  it("shows the screens of the role and refuses the others", async () => {
    const visitor = await signIn(role);
    const { html } = await visitor.get("/");
    const navigation = /<nav\b.*?<\/nav>/s.exec(html)?.[0] ?? "";
    for (const [path, title, seenBy] of screens) {
      const isSeen = seenBy.includes(role);
      const reply = await visitor.get(path);
      expect([path, navigation.includes(`href="${path}"`), reply.status]).toEqual([path, isSeen, isSeen ? 200 : 403]);
      expect(reply.html).toContain(isSeen ? `<h1>${title}</h1>` : "needs one of the roles security, root");
    }
  });
});

describe("by keyboard alone", () => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext();
  });
  afterAll(() => context.close());

  /**
   * Presses Tab until an element of that kind has the focus. Fails if it cannot be reached or if the focus is not
   * visible.
   */
  const tabTo = async (page: Page, selector: string): Promise<void> => {
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      if ((await focused.count()) === 0) continue;
      if (!(await focused.evaluate((element, wanted) => element.matches(wanted), selector))) continue;
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).not.toBe("none");
      return;
    }
    throw new Error(`${selector} cannot be reached by keyboard`);
  };

  it("pauses and resumes a campaign, with the focus always visible", async () => {
    const { id } = await ctl([
      "campaigns", "create", "--name", "Keyboard campaign", "--currency", "JPY", "--cpm-minor", "100", "--budget-minor", "1000",
      "--destination-url", "https://example.com/",
    ]); // biome-ignore format: one command
    const page = await openWindow(context, "operator");
    await page.goto(`${consoleUrl}/campaigns`);
    await tabTo(page, 'a[href="#content"]');
    await tabTo(page, `a[href="/campaigns/${id}"]`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keyboard campaign" }).waitFor();
    for (const [verb, status] of [
      ["pause", "paused"],
      ["resume", "active"],
    ] as const) {
      await tabTo(page, `a[href$="/${verb}"]`);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/${verb}`);
      await tabTo(page, "main form button");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/campaigns/${id}`);
      expect((await ctl(["campaigns", "show", "--campaign", id])).status).toBe(status);
    }
    await page.close();
  });
});

describe("without JavaScript", () => {
  it("signs in, searches, acts and signs out", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await openWindow(context, "operator");
    const { id } = await ctl(["clients", "create", "--name", "No scripts", "--environment", "development"]);
    await page.getByRole("searchbox").fill(id);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "No scripts" }).waitFor();
    await page.getByRole("link", { name: "Set a quota" }).click();
    await page.getByLabel("Resource").selectOption("events");
    await page.getByRole("button", { name: "Set the limit" }).click();
    await page.getByLabel("New limit").fill("123456");
    await page.getByRole("button", { name: "Set the limit" }).click();
    await page.getByText("The limit is set.").waitFor();
    const quotas = await ctl(["quotas", "show", "--client", id]);
    expect(quotas).toContainEqual(expect.objectContaining({ resource: "events", limit: 123_456 }));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await context.close();
  });
});

describe("with JavaScript", () => {
  it("shows times in the viewer's zone with UTC in their tooltip, and new events as they arrive", async () => {
    const context = await browser.newContext({ timezoneId: "Asia/Tokyo", locale: "en-US" });
    const page = await openWindow(context, "viewer");
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${consoleUrl}/events?client=${client}`);
    await page.getByText("Following new events.").waitFor();
    const type = `console.t${Date.now()}`;
    await api("POST", "/domain-events", { body: { type, schema_version: 1, data: { html: "<b>bold</b>" } } });
    const item = page.locator("ol[data-tail] li", { hasText: type });
    await item.waitFor();
    expect(await item.locator("time").getAttribute("title")).toMatch(/GMT\+9 .*UTC$/);
    expect(await item.locator("b").count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });
});

/**
 * The policy treats it as another site. Its frames nevertheless receive the session's cookie, because a site does not
 * depend on the port.
 */
const frameUrl = "http://127.0.0.1:18999/";

describe("a frame of another site", () => {
  it("shows nothing of the console in a frame of another site (clickjacking)", async () => {
    const context = await browser.newContext();
    const page = await openWindow(context, "operator");
    await page.route(frameUrl, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<iframe src="${consoleUrl}/campaigns/${demo.CAMPAIGN_ID}/pause"></iframe>`,
      }),
    );
    await page.goto(`${consoleUrl}/campaigns/${demo.CAMPAIGN_ID}/pause`);
    expect(await page.locator("main form").count()).toBe(1);
    // The load event of the page waits for the frame.
    await page.goto(frameUrl);
    expect(await page.frameLocator("iframe").locator("form").count()).toBe(0);
    await context.close();
  });
});

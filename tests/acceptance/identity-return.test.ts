import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import {
  arrive,
  enterCode,
  openProjectSite,
  type PersonsWindow,
  type ProjectSite,
  readMail,
  register,
  startMigration,
} from "./identity-person.ts";

const appUri = "com.example.shop:/linked";

let browser: Browser;
let home: ProjectSite;
let site: ProjectSite;
let app: ProjectSite;
beforeAll(async () => {
  [browser, home] = await Promise.all([launchBrowser(), openProjectSite()]);
  // The browser treats the same machine under another name as another origin.
  [site, app] = await Promise.all([
    openProjectSite(`${home.url.replace("127.0.0.1", "localhost")}/home`),
    openProjectSite(appUri),
  ]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([home.close(), site.close(), app.close()]);
});

/** Collects the browser's messages about blocked navigations. */
function watchRefusals({ page }: PersonsWindow): string[] {
  const refusals: string[] = [];
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) refusals.push(message.text());
  });
  return refusals;
}

/**
 * Waits until the redirect to the app has failed, which is not installed on this machine. A click before that can be
 * lost, because the end of one navigation may also end the next.
 */
const appRedirectFailed = ({ page }: PersonsWindow): Promise<unknown> =>
  page.waitForEvent("requestfailed", (request) => request.url().startsWith(appUri));

const atHome = /^http:\/\/localhost:\d+\/home$/;

describe("a return_uri that redirects to another host", () => {
  test("reaches the other host with one click on Cancel", async () => {
    const started = await startMigration(site);
    const person = await arrive(browser, site, started);
    await person.page.getByRole("button", { name: /^Cancel/ }).click();
    await person.page.waitForURL(atHome);
    expect(Object.fromEntries(site.returns.at(-1) ?? [])).toMatchObject({ state: started.state, status: "cancelled" });
    await person.context.close();
  });

  test("reaches the other host with one click on Link accounts, and does not redirect again when the person goes back", async () => {
    const started = await startMigration(site);
    const person = await arrive(browser, site, started);
    await register(person);
    await enterCode(person, (await readMail(started.email)).code);
    await person.page.getByRole("button", { name: "Link accounts" }).click();
    await person.page.waitForURL(atHome);
    expect(Object.fromEntries(site.returns.at(-1) ?? [])).toMatchObject({
      state: started.state,
      status: "link_pending",
    });
    await person.page.goBack();
    await person.page.getByRole("heading", { name: /^Waiting for .+ to confirm$/ }).waitFor();
    await person.context.close();
  });
});

describe("a return_uri that redirects to an app by a custom scheme", () => {
  test("redirects the browser to the app without an error, and shows a link to it as well", async () => {
    const started = await startMigration(app);
    const person = await arrive(browser, app, started);
    const refusals = watchRefusals(person);
    const handOver = appRedirectFailed(person);
    await person.page.getByRole("button", { name: /^Cancel/ }).click();
    await handOver;
    const link = person.page.getByRole("link", { name: /^Back to/ });
    expect(await link.getAttribute("href")).toContain(`state=${started.state}&status=cancelled`);
    const again = appRedirectFailed(person);
    await link.click();
    await again;
    expect(app.returns.map((query) => query.get("status"))).toEqual(["cancelled", "cancelled"]);
    expect(refusals).toEqual([]);
    await person.context.close();
  });
});

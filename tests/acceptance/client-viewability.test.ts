import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const { baseUrl, env } = acceptanceStack;
const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("@platform/client/viewability"))));

let browser: Browser;
let server: Server;
let siteUrl: string;
/** Responses of a replacement for the platform, which fails at first, and the requests that it received. */
const failures: { status: number; headers?: Record<string, string> }[] = [];
const reports: string[] = [];

const site = `<!doctype html><title>Site</title>
<div style="height:4000px"></div><div id="ad" style="width:300px;height:250px;background:#cde"></div><div style="height:4000px"></div>`;

beforeAll(async () => {
  browser = await launchBrowser();
  server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://site").pathname);
    if (path.endsWith("/viewable-impressions")) {
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "content-type");
      response.setHeader("access-control-expose-headers", "retry-after");
      if (request.method === "OPTIONS") return void response.writeHead(204).end();
      reports.push(request.method ?? "");
      const { status, headers } = failures.shift() ?? { status: 200 };
      const data = { recorded: true, charged_minor: 0, destination_url: null };
      return void response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify({ data }));
    }
    if (!path.endsWith(".js")) return void response.writeHead(200, { "content-type": "text/html" }).end(site);
    response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(join(packageFolder, path)));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  siteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a page whose ad is far below the visible part, with its own decision token. */
async function observed(format: "display" | "video", platformUrl = baseUrl): Promise<Page> {
  const { token } = await ctl(["ads", "decide", "--campaign", env.CAMPAIGN_ID ?? "", "--format", format]);
  const page = await browser.newPage();
  await page.goto(siteUrl);
  const options = JSON.stringify({ baseUrl: platformUrl, token, format });
  await page.evaluate(`(async () => {
    const { observeAd } = await import("/viewability/index.js");
    window.ad = observeAd(document.getElementById("ad"), ${options});
    window.ad.recorded.then((result) => Object.assign(window, { result, isSettled: true }));
  })()`);
  return page;
}

const showAd = (page: Page) => page.evaluate(`document.getElementById("ad").scrollIntoView({ block: "center" })`);
const hideAd = (page: Page) => page.evaluate("scrollTo(0, 0)");
const isSettled = (page: Page) => page.evaluate("window.isSettled === true");
const result = async (page: Page): Promise<any> => {
  await page.waitForFunction("window.isSettled === true");
  return page.evaluate("window.result");
};

describe("observeAd in a browser", () => {
  test("reports an ad that was in view for its time to the platform", async () => {
    const page = await observed("display");
    expect(await isSettled(page)).toBe(false);
    await showAd(page);
    expect(await result(page)).toMatchObject({ recorded: true });
    await page.close();
  });

  test("restarts the time after an ad was out of view", async () => {
    const page = await observed("video");
    await page.evaluate(`(async () => {
      const frames = async (ms) => {
        for (const until = performance.now() + ms; performance.now() < until; ) await new Promise(requestAnimationFrame);
      };
      for (let glance = 0; glance < 3; glance += 1) {
        document.getElementById("ad").scrollIntoView({ block: "center" });
        await frames(900);
        scrollTo(0, 0);
        await frames(100);
      }
    })()`);
    expect(await isSettled(page)).toBe(false);
    await showAd(page);
    expect(await result(page)).toMatchObject({ recorded: true });
    await page.close();
  });

  test("reports nothing once it was stopped", async () => {
    const page = await observed("display");
    await page.evaluate("window.ad.stop()");
    expect(await result(page)).toBeNull();
    await page.close();
  });

  test("retries after 503 and Retry-After, and gives up on a refusal", async () => {
    failures.push({ status: 503, headers: { "retry-after": "1" } }, { status: 500 });
    const page = await observed("display", siteUrl);
    await showAd(page);
    expect(await result(page)).toMatchObject({ recorded: true });
    expect(reports).toEqual(["POST", "POST", "POST"]);
    await page.close();
    failures.push({ status: 422 });
    const refused = await observed("display", siteUrl);
    await showAd(refused);
    expect(await result(refused)).toBeNull();
    expect(reports).toHaveLength(4);
    await refused.close();
  });

  test("does not count the time while the ad is out of view", async () => {
    const page = await observed("display");
    await showAd(page);
    await hideAd(page);
    expect(await isSettled(page)).toBe(false);
    await showAd(page);
    expect(await result(page)).toMatchObject({ recorded: true });
    await page.close();
  });
});

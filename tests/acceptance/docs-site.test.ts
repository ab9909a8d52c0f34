import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { siteFolder } from "@platform/docs-site/site-folders";
import { repositoryRoot } from "@platform/stack/stack";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let built: string;
let own: OwnStack;
let browser: Browser;

beforeAll(async () => {
  const build = [join(repositoryRoot, "tools/docs-site/src/build-site.ts")];
  built = (await promisify(execFile)(process.execPath, build, { cwd: repositoryRoot })).stdout;
  [own, browser] = await Promise.all([startOwnStack(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await own?.close();
});

test("builds the documentation without a dead link or an unanswered question", () => {
  expect(built).toMatch(/^\d{4,} links checked, 0 dead$/m);
  expect(built).toMatch(/^12 questions asked, 0 without their page among the first results$/m);
});

test("serves every file of the site with its type and a policy that allows no inline script", async () => {
  const types: Readonly<Record<string, RegExp>> = {
    html: /^text\/html/,
    md: /^text\/markdown/,
    js: /^text\/javascript/,
    css: /^text\/css/,
  };
  const files = globSync("**/*.{html,md,js,css}", { cwd: siteFolder });
  expect(files.length).toBeGreaterThan(200);
  for (const file of files) {
    const response = await fetch(`${own.stack.baseUrl}/docs/${file}`);
    const body = await response.text();
    expect([file, response.status]).toEqual([file, 200]);
    expect(response.headers.get("content-type")).toMatch(types[file.split(".").at(-1) ?? ""] ?? /^$/);
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'self'.*frame-ancestors 'none'/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    if (file.endsWith(".html")) expect(body).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>[^<]/);
  }
});

test.each(["", "guides/accept-an-upload", "concepts/access", "api/files", "reference/"])(
  "loads /docs/%s in a browser without an error or a request to another host",
  async (path) => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(own.stack.baseUrl))
        problems.push(request.url());
    });
    await page.goto(`${own.stack.baseUrl}/docs/${path}`, { waitUntil: "networkidle" });
    await page.close();
    expect(problems).toEqual([]);
  },
);

test("leads from a search to the page that answers it", async () => {
  const page = await browser.newPage();
  await page.goto(`${own.stack.baseUrl}/docs/guides/first-hour`, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("idempotency key");
  await page.locator("#localsearch-list a", { hasText: "life of an API request" }).first().click();
  await page.waitForURL(/\/docs\/concepts\/a-request/);
  await page.close();
});

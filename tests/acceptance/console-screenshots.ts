import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { operatorsFile, readEnvFile } from "@platform/stack/settings";
import { repositoryRoot } from "@platform/stack/stack";
import { chromium } from "playwright-core";

/*
 * Saves a screenshot of every screen of the console in docs/console, from a running local stack:
 * npx node tests/acceptance/console-screenshots.ts
 */

const directory = resolve(process.env.STACK_DIR ?? join(repositoryRoot, ".local"));
const base = `http://127.0.0.1:${Number(process.env.STACK_PORT_BASE ?? 8080) + 30}`;
const demo = readEnvFile(join(directory, "demo.env"));
const password = readEnvFile(operatorsFile(directory)).OPERATOR_ROOT_PASSWORD ?? "";
const client = demo.PROJECT_CLIENT_ID ?? "";
const folder = join(repositoryRoot, "docs/console");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const context = await browser.newContext({
  viewport: { width: 1200, height: 900 },
  timezoneId: "UTC",
  locale: "en-GB",
});
const page = await context.newPage();
await page.goto(`${base}/sign-in`);
await page.getByLabel("Name").fill("root");
await page.getByLabel("Password").fill(password);
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("heading", { name: "Overview" }).waitFor();

/** Returns the first link of a list to one of its resources, or the link of the list itself if it is empty. */
const firstOf = async (list: string, prefix: string): Promise<string> => {
  await page.goto(`${base}${list}`);
  const link = page.locator(`main td a[href^="${prefix}"]`).first();
  return (await link.count()) === 0 ? list : ((await link.getAttribute("href")) ?? list);
};

const pictures: Readonly<Record<string, string>> = {
  overview: "/",
  client: `/clients/${client}`,
  activity: `/deliveries?client=${client}`,
  delivery: await firstOf(`/deliveries?client=${client}`, "/deliveries/"),
  endpoints: `/endpoints?client=${client}`,
  profile: `/profiles/${demo.SENDER_PROFILE_EMAIL}`,
  template: `/templates/preview?client=${client}&key=${demo.DEMO_TEMPLATE_EMAIL}`,
  events: `/events?client=${client}`,
  schedule: await firstOf(`/schedules?client=${client}`, "/schedules/"),
  audits: `/audits?client=${client}`,
  files: `/files?client=${client}`,
  migrations: `/migrations?client=${client}`,
  erasures: "/erasures",
  campaign: `/campaigns/${demo.CAMPAIGN_ID}`,
  operators: "/operators",
  status: "/status",
};

mkdirSync(folder, { recursive: true });
for (const [name, path] of Object.entries(pictures)) {
  await page.goto(`${base}${path}`);
  // Chromium encodes WebP itself, which is a quarter of the size of PNG.
  const session = await context.newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
  process.stdout.write(`${name}.webp ${Math.round((data.length * 3) / 4096)} KiB\n`);
}
await browser.close();

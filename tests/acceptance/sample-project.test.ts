import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@platform/client";
import { createShop, type Shop } from "@platform/sample-project/app";
import { eventually } from "@platform/test-kit/eventually";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { enterCode, readMail, register } from "./identity-person.ts";
import { acceptanceStack, ctl } from "./stack.ts";
import { newProject, type Project } from "./walk/project.ts";

const { baseUrl, env } = acceptanceStack;

let server: Server;
let browser: Browser;
let project: Project;
let shop: Shop;
let shopUrl: string;

beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  shopUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  [browser, project] = await Promise.all([launchBrowser(), newProject(`${shopUrl}/migrated`)]);
  shop = createShop({
    platform: createClient({ baseUrl, credential: project.client.credential }),
    projectClientId: project.client.id,
    platformUrl: baseUrl,
    shopUrl,
    senderProfileId: project.emailProfileId,
    webhookSecret: `whsec_${Buffer.from(crypto.randomUUID()).toString("base64")}`,
    decideAd: async () => (await ctl(["ads", "decide", "--campaign", env.CAMPAIGN_ID ?? ""])).token,
  });
  server.on("request", shop.app);
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send = (method: string, path: string, body?: object) =>
  fetch(shopUrl + path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });

/** Creates a user of the shop with their own email address. */
async function newUser(): Promise<{ id: string; email: string }> {
  const id = `user-${crypto.randomUUID()}`;
  const user = { id, email: `${id}@example.com` };
  await send("POST", `/users/${id}`, user);
  return user;
}

test("moves a user through the platform's pages and back", async () => {
  const user = await newUser();
  const form = await (await send("POST", `/users/${user.id}/migration`)).text();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.setContent(form);
  await page.getByRole("button", { name: "Continue to your new account" }).click();
  const person = { context, page, visited: [] };
  await register(person);
  await enterCode(person, (await readMail(user.email)).code);
  await page.getByRole("button", { name: "Link accounts" }).click();
  await page.getByText("Welcome back").waitFor();
  expect(shop.users.get(user.id)?.accountId).toMatch(/^[0-9a-f-]{36}$/);
  await context.close();
});

test("stores a photo and refuses other files", async () => {
  const { id } = await newUser();
  const upload = (type: string, body: string) =>
    fetch(`${shopUrl}/users/${id}/photo`, { method: "PUT", headers: { "content-type": type }, body });
  const text = await upload("text/plain", "Hello from the shop.\n");
  expect(await text.json()).toMatchObject({ status: "available" });
  const forged = await upload("image/png", "<script>alert(1)</script>");
  expect([forged.status, await forged.json()]).toEqual([422, { reason: "content_type_mismatch" }]);
});

test("emails a customer when an order ships", async () => {
  const user = await newUser();
  const shipped = await send("POST", "/orders/A-1042/shipment", { user: user.id, parcels: 2 });
  expect(shipped.status).toBe(200);
  expect((await readMail(user.email)).text).toContain("2 parcels.");
});

test("learns from a subscription that a customer's email was sent", async () => {
  const operation = await shop.registerWebhook();
  await ctl(["clients", "update", "--client", project.client.id, "--platform-events", "on"]);
  await ctl(["subscriptions", "create", "--operation", operation, "--types", "platform.notification_delivery.*"]);
  const user = await newUser();
  const { delivery } = (await (await send("POST", "/orders/A-7/shipment", { user: user.id, parcels: 1 })).json()) as {
    delivery: string;
  };
  const order = await eventually(
    async () => {
      const shown = (await (await send("GET", "/orders/A-7")).json()) as { delivery: string | null };
      return shown.delivery === null ? undefined : shown;
    },
    { what: "the shop's reaction to the delivery event" },
  );
  expect(order).toEqual({ number: "A-7", status: "shipped", deliveryId: delivery, delivery: "sent" });
});

test("closes stale orders each time its schedule is due", async () => {
  const operationId = await shop.registerWebhook();
  expect(await shop.registerWebhook()).toBe(operationId);
  await send("GET", "/orders/A-2");
  const cron = ["--cron", "* * * * *", "--timezone", "Asia/Tokyo"];
  await ctl(["schedules", "set-cron", "--operation", operationId, ...cron]);
  // The next full minute is at most a minute away.
  await eventually(() => shop.orders.get("A-2")?.status === "stale", { timeoutMs: 90_000 });
  await ctl(["schedules", "disable", "--operation", operationId]);
});

test("shows an ad, and reports its viewable impression to the platform", async () => {
  const page = await browser.newPage();
  await page.goto(`${shopUrl}/ad`);
  await page.waitForFunction(`document.title !== "Shop"`);
  expect(await page.title()).toBe("Shop: ad seen");
  await page.close();
});

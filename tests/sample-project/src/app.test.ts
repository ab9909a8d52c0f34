import type { AddressInfo } from "node:net";
import { createClient } from "@platform/client";
import { createFakePlatform, type FakePlatform } from "@platform/client/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createShop, type Shop } from "./app.ts";

const webhookSecret = "a secret of at least thirty-two characters";
let platform: FakePlatform;
let shop: Shop;
let url: string;
let close: () => void;

beforeEach(async () => {
  platform = createFakePlatform();
  const settings = {
    platform: createClient({ baseUrl: platform.baseUrl, credential: platform.credential, fetch: platform.fetch }),
    projectClientId: platform.projectClientId,
    platformUrl: platform.baseUrl,
    shopUrl: "https://shop.example.com",
    senderProfileId: crypto.randomUUID(),
    webhookSecret,
    decideAd: async () => platform.decideAd(),
  };
  shop = createShop(settings);
  const server = shop.app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
  await send("POST", "/users/ann", { email: "ann@example.com" });
});
afterEach(() => close());

const send = (method: string, path: string, body?: unknown) =>
  fetch(url + path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });

/** Forwards the platform's call to the endpoint of the app. */
const toShop = (request: Request): Promise<Response> => fetch(new Request(`${url}/hooks`, request));

test("moves a user by form, return and confirmation", async () => {
  const page = await send("POST", "/users/ann/migration");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(await page.text()).toMatch(/<form method="post" action="[^"]+\/identity-migration\/continue">/);
  const created = platform.requests.find(({ operationId }) => operationId === "identity.createHostedContinuation");
  const { state } = (created?.body ?? {}) as { state?: string };
  const { transactionId = "" } = created?.params ?? {};
  expect((await send("GET", `/migrated?state=${state}`)).status).toBe(409);
  const accountId = platform.linkAccount(transactionId);
  expect((await send("GET", `/migrated?state=${state}`)).status).toBe(200);
  expect(shop.users.get("ann")?.accountId).toBe(accountId);
  expect(platform.requests.at(-1)).toMatchObject({ operationId: "identity.confirmLink", status: 200 });
});

test("stores a photo, and reports why another is rejected", async () => {
  const upload = () =>
    fetch(`${url}/users/ann/photo`, { method: "PUT", headers: { "content-type": "image/png" }, body: "png" });
  expect(await (await upload()).json()).toMatchObject({ status: "available" });
  platform.rejectNextUpload("image_undecodable");
  const rejected = await upload();
  expect([rejected.status, await rejected.json()]).toEqual([422, { reason: "image_undecodable" }]);
});

test("emails a customer once and learns that the email was sent", async () => {
  const operationId = await shop.registerWebhook();
  const ship = () => send("POST", "/orders/A-1042/shipment", { user: "ann", parcels: 2 });
  const { delivery } = (await (await ship()).json()) as { delivery: string };
  await ship();
  expect(platform.notifications).toHaveLength(1);
  await platform.sendEvent(
    operationId,
    { type: "platform.notification_delivery.sent", data: { notification_delivery_id: delivery, status: "sent" } },
    toShop,
  );
  expect(await (await send("GET", "/orders/A-1042")).json()).toMatchObject({ status: "shipped", delivery: "sent" });
});

test("closes stale orders when it is called on its schedule", async () => {
  const operationId = await shop.registerWebhook();
  await send("GET", "/orders/A-1");
  expect((await platform.callScheduled(operationId, toShop)).status).toBe(200);
  expect(shop.orders.get("A-1")?.status).toBe("stale");
});

test("refuses a call that the platform did not sign", async () => {
  await send("GET", "/orders/A-1");
  const body = { operation_id: "o", name: "orders.close-stale", invocation_id: "i", attempt: 1 };
  expect((await send("POST", "/hooks", body)).status).toBe(401);
  expect(shop.orders.get("A-1")?.status).toBe("open");
});

test("shows an ad with a decision of the ad server", async () => {
  const page = await (await send("GET", "/ad")).text();
  expect(page).toContain('"format":"display"');
  expect((await send("GET", "/platform-client/viewability/index.js")).status).toBe(200);
});

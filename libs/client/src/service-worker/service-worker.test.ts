import { describe, expect, it } from "vitest";
import { type PushScope, showPushes } from "./index.ts";

/** The globals of a service worker, which Node does not have. */
function startWorker(openUrls: readonly string[] = []) {
  const listeners = new Map<string, (event: any) => void>();
  const seen: unknown[] = [];
  const scope: PushScope = {
    addEventListener: (type: string, listener: (event: any) => void) => void listeners.set(type, listener),
    registration: { showNotification: async (title, options) => void seen.push(["show", title, options]) },
    clients: {
      matchAll: async () => openUrls.map((url) => ({ url, focus: async () => seen.push(["focus", url]) })),
      openWindow: async (url) => seen.push(["open", url]),
    },
    navigator: { setAppBadge: async (count) => void seen.push(["badge", count]) },
  };
  showPushes(scope, {
    onVerification: (token) => seen.push(["verify", token]),
    completeNotification: () => ({ icon: "/i.png" }),
  });
  const dispatch = async (type: string, event: object): Promise<unknown[]> => {
    const work: Promise<unknown>[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (each: Promise<unknown>) => work.push(each) });
    await Promise.all(work);
    return seen.splice(0);
  };
  return {
    push: (payload: unknown) => dispatch("push", { data: { json: () => payload } }),
    click: (data: unknown) =>
      dispatch("notificationclick", { notification: { data, close: () => seen.push(["close"]) } }),
  };
}

const push = { title: "Order 7", body: "It left.", delivery_id: "d-1" };

describe("showPushes", () => {
  it("shows title and text, and replaces an earlier try of the same delivery", async () => {
    expect(await startWorker().push(push)).toEqual([
      ["show", "Order 7", expect.objectContaining({ body: "It left.", tag: "d-1", icon: "/i.png" })],
    ]);
  });

  it("shows picture, tag, silence and the badge of the app", async () => {
    const full = { ...push, image: "https://a.example/1.png", tag: "order-7", silent: true, badge: 3 };
    expect(await startWorker().push(full)).toEqual([
      ["badge", 3],
      ["show", "Order 7", expect.objectContaining({ image: full.image, tag: "order-7", silent: true })],
    ]);
  });

  it("passes the token of a verification push on, and shows nothing", async () => {
    expect(await startWorker().push({ type: "endpoint_verification", token: "t" })).toEqual([["verify", "t"]]);
  });

  it("opens the link of a tapped notification, or the page that already shows it", async () => {
    const link = "https://shop.example/orders/7";
    expect(await startWorker().click({ link })).toEqual([["close"], ["open", link]]);
    expect(await startWorker([link]).click({ link })).toEqual([["close"], ["focus", link]]);
  });

  it("does not open a link that runs script (link injection)", async () => {
    expect(await startWorker().click({ link: "javascript:alert(1)" })).toEqual([["close"]]);
  });
});

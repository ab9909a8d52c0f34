import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
let metric: (name: string) => Promise<number>;
let well: Awaited<ReturnType<typeof prepare>>;

async function prepare(channel: "fcm" | "line") {
  const { clientId, profileId } = await prepareClient(stack, channel);
  return { clientId, profileId, ...(await verifiedEndpoint(stack, channel, clientId)) };
}

beforeAll(async () => {
  stack = await startNotifyStack({ env: { DELIVERY_PAUSE_MS: "60000" } });
  const worker = await stack.startWorker();
  metric = async (name) => {
    const page = await (await fetch(`http://127.0.0.1:${worker.probePort}/metrics`)).text();
    return Number(new RegExp(`^${name}\\S* (\\S+)$`, "m").exec(page)?.[1]);
  };
  const failing = await prepare("fcm");
  well = await prepare("line");
  stack.sink.setFault({ channel: "fcm", status: 503, times: 1_000 });
  for (let count = 0; count < 8; count += 1) await send(stack, "fcm", failing);
  await eventually(async () => (await metric("platform_notify_paused_bulkheads")) === 1, {
    what: "the bulkhead is paused",
  });
});
afterAll(() => stack.close());

/** Sends a delivery of another bulkhead. Once it has been sent, the worker has checked the queue again. */
const checkQueue = async (): Promise<void> => {
  expect(await finished(stack, well.clientId, await send(stack, "line", well))).toMatchObject({ status: "sent" });
};

test("does not count deliveries as late while their bulkhead is paused for its provider", async () => {
  stack.advance(30_000);
  await checkQueue();
  expect(await metric("platform_notify_queue_age_seconds")).toBeLessThan(10);
  expect(await metric("platform_notify_paused_bulkheads")).toBe(1);
});

test("keeps a bulkhead paused although the database's clock steps forward by ten minutes", async () => {
  const attempts = (): Promise<number> => metric('platform_notify_delivery_attempt_seconds_count\\S*channel="fcm"');
  const before = await attempts();
  expect(before).toBeGreaterThan(0);
  stack.advance(600_000);
  for (let count = 0; count < 3; count += 1) await checkQueue();
  expect(await attempts()).toBe(before);
});

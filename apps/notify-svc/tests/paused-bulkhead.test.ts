import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack({ env: { DELIVERY_PAUSE_MS: "60000" } });
});
afterAll(() => stack.close());

test("does not count deliveries as late while their bulkhead is paused for its provider", async () => {
  const worker = await stack.startWorker();
  const metric = async (name: string): Promise<number> => {
    const page = await (await fetch(`http://127.0.0.1:${worker.probePort}/metrics`)).text();
    return Number(new RegExp(`^${name}\\S* (\\S+)$`, "m").exec(page)?.[1]);
  };
  const prepare = async (channel: "fcm" | "line") => {
    const { clientId, profileId } = await prepareClient(stack, channel);
    return { clientId, profileId, ...(await verifiedEndpoint(stack, channel, clientId)) };
  };
  const [failing, well] = [await prepare("fcm"), await prepare("line")];
  stack.sink.setFault({ channel: "fcm", status: 503, times: 1_000 });
  for (let count = 0; count < 8; count += 1) await send(stack, "fcm", failing);
  await eventually(async () => (await metric("platform_notify_paused_bulkheads")) === 1, {
    what: "the bulkhead is paused",
  });

  stack.advance(30_000);
  // Once this delivery has been sent, the worker has checked the queue again.
  expect(await finished(stack, well.clientId, await send(stack, "line", well))).toMatchObject({ status: "sent" });
  expect(await metric("platform_notify_queue_age_seconds")).toBeLessThan(10);
  expect(await metric("platform_notify_paused_bulkheads")).toBe(1);
});

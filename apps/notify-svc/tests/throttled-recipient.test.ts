import type { RunningService } from "@platform/kit/service/start";
import type { FaultInput } from "@platform/provider-sink";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import {
  finished,
  type NotifyStack,
  prepareClient,
  send,
  sinkNameOf,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
let worker: RunningService;
beforeAll(async () => {
  // The pause is so long that a paused bulkhead stays paused for all tests of the file.
  stack = await startNotifyStack({ env: { DELIVERY_PAUSE_MS: "3600000" } });
  worker = await stack.startWorker();
});
beforeEach(() => stack.sink.clearFaults());
afterAll(() => stack.close());

const pausedBulkheads = async (): Promise<number> => {
  const page = await (await fetch(`http://127.0.0.1:${worker.probePort}/metrics`)).text();
  return Number(/^platform_notify_paused_bulkheads\S* (\S+)$/m.exec(page)?.[1]);
};

/** A client with a profile and two endpoints of one provider. */
async function prepare(channel: Channel) {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const [noisy, quiet] = [
    await verifiedEndpoint(stack, channel, clientId),
    await verifiedEndpoint(stack, channel, clientId),
  ];
  const to = sinkNameOf(channel, noisy.address);
  const known = (await stack.sink.messages({ channel, to })).length;
  const quietTo = sinkNameOf(channel, quiet.address);
  const push = (who: "noisy" | "quiet") => send(stack, channel, { clientId, profileId, ...{ noisy, quiet }[who] });
  return {
    to,
    quietTo,
    push,
    finished: (deliveryId: string) => finished(stack, clientId, deliveryId),
    /** Waits for attempts at the throttled endpoint, and returns their number. */
    tries: async (count: number) =>
      (await stack.sink.messages({ channel, to, count: known + count, waitMs: 20_000 })).length - known,
  };
}

const ofRecipient: [Channel, Omit<FaultInput, "channel">][] = [
  ["fcm", { kind: "device_quota_exceeded" }],
  ["fcm", { status: 429, body: { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Too many." } } }],
  ["apns", { kind: "too_many_requests" }],
  ["web_push", { status: 429, headers: { "retry-after": "0" } }],
  ["email", { status: 451 }],
  ["email", { status: 452, stage: "data" }],
];
const ofProvider: [Channel, Omit<FaultInput, "channel">][] = [
  ["fcm", { kind: "quota_exceeded", headers: { "retry-after": "0" } }],
  ["apns", { kind: "too_many_provider_token_updates" }],
  ["apns", { kind: "service_unavailable" }],
  ["line", { kind: "too_many_requests" }],
  ["web_push", { status: 503, headers: { "retry-after": "0" } }],
  ["email", { status: 421 }],
  ["email", { status: 451, stage: "mail" }],
  ["email", { status: 421, stage: "greeting" }],
  ["email", { status: 554, stage: "greeting" }],
];

describe("a throttled recipient", () => {
  it.each(ofRecipient)("%s %o: does not delay other recipients of the profile", async (channel, fault) => {
    const { to, push, finished: ended, tries } = await prepare(channel);
    const before = await pausedBulkheads();
    stack.sink.setFault({ ...fault, channel, to, times: 1_000 });
    for (let count = 0; count < 4; count += 1) await push("noisy");
    // Ten is twice the number of failures that pause a bulkhead.
    expect(await tries(10)).toBeGreaterThanOrEqual(10);
    expect(await ended(await push("quiet"))).toMatchObject({ status: "sent", attempts: 1 });
    expect(await pausedBulkheads()).toBe(before);
  });

  it("holds back the deliveries for the same recipient until its Retry-After has passed", async () => {
    const { to, push, finished: ended, tries } = await prepare("fcm");
    await worker.close();
    const held: string[] = [];
    for (let count = 0; count < 4; count += 1) held.push(await push("noisy"));
    stack.sink.setFault({ channel: "fcm", to, kind: "device_quota_exceeded", headers: { "retry-after": "300" } });
    worker = await stack.startWorker();
    expect(await tries(1)).toBe(1);
    // Each sent delivery proves that the worker has polled the queue again.
    for (let count = 0; count < 5; count += 1) {
      expect(await ended(await push("quiet"))).toMatchObject({ status: "sent" });
    }
    expect(await tries(1)).toBe(1);
    stack.advance(301_000);
    const statuses = await Promise.all(held.map(async (id) => (await ended(id)).attempts));
    expect(statuses.sort()).toEqual([1, 1, 1, 2]);
  });
});

describe("one throttled device and one dead provider at the same time", () => {
  it.each([
    ["fcm", { kind: "device_quota_exceeded", headers: { "retry-after": "300" } }],
    ["apns", { kind: "too_many_requests" }],
    ["web_push", { status: 429, headers: { "retry-after": "300" } }],
  ] as const)(
    "%s: sends all other messages while the device waits and the bulkhead is paused",
    async (channel, fault) => {
      const [throttled, dead, other] = [await prepare(channel), await prepare(channel), await prepare(channel)];
      const before = await pausedBulkheads();
      stack.sink.setFault({ ...fault, channel, to: throttled.to, times: 1_000 });
      for (const to of [dead.to, dead.quietTo]) stack.sink.setFault({ channel, to, drop: true, times: 1_000 });
      for (let count = 0; count < 8; count += 1) {
        await throttled.push("noisy");
        await dead.push(count % 2 === 0 ? "noisy" : "quiet");
      }
      await throttled.tries(1);
      await eventually(async () => (await pausedBulkheads()) === before + 1, {
        what: "the dead provider's bulkhead is paused",
      });
      for (const { push, finished: ended } of [throttled, other]) {
        expect(await ended(await push("quiet"))).toMatchObject({ status: "sent", attempts: 1 });
      }
      // Neither the device nor the provider has recovered in the meantime.
      expect(await pausedBulkheads()).toBe(before + 1);
    },
  );
});

describe("a throttled sender or a failing provider", () => {
  it.each(ofProvider)("%s %o: pauses the profile's bulkhead", async (channel, fault) => {
    const { push } = await prepare(channel);
    const before = await pausedBulkheads();
    stack.sink.setFault({ ...fault, channel, times: 1_000 });
    for (let count = 0; count < 8; count += 1) await push(count % 2 === 0 ? "noisy" : "quiet");
    await eventually(async () => (await pausedBulkheads()) === before + 1, { what: "the bulkhead is paused" });
  });
});

import { defined } from "@platform/kit/process/fields";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { payloadBytesMax } from "../src/domain/push-payloads.ts";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  sinkNameOf,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

const texts = { subject: "Order {{ number }}", text: "It left.", variables: { number: "integer", name: "string" } };
const everyField = {
  data: { order: "{{ number }}", who: "{{ name }}" },
  link: "https://shop.example/orders/{{ number }}",
  image: "https://shop.example/pictures/{{ number }}.png",
  badge: "{{ number }}",
  sound: "ding.caf",
  ttlSeconds: 600,
  collapseKey: "order-{{ number }}",
  priority: "high",
};

/** A client whose only template has the given fields, and one of its endpoints. */
async function prepare(channel: Channel, push: object | null, text = texts.text) {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const { endpointId, address } = await verifiedEndpoint(stack, channel, clientId);
  const template = {
    key: "shipped",
    channel,
    locale: "en",
    ...texts,
    text,
    ...defined({ push }),
  };
  await stack.admin.applyCatalog({ projectClientId: clientId, templates: [template] }, callOf(clientId));
  const ids = { clientId, profileId, endpointId };
  return {
    clientId,
    send: (variables = { number: 7, name: "Ann" }) => send(stack, channel, ids, { variables }),
    newest: async () =>
      (await stack.sink.messages({ channel, to: sinkNameOf(channel, address) })).at(-1) ?? expect.unreachable(),
  };
}

/** Sends one message with every field, and returns what the provider received. */
async function arrived(channel: Channel, push: object = everyField) {
  const made = await prepare(channel, push);
  const deliveryId = await made.send();
  expect(await finished(stack, made.clientId, deliveryId)).toMatchObject({ status: "sent", attempts: 1 });
  return { deliveryId, message: await made.newest() };
}

describe("a push with every field", () => {
  it("sends every field of a push to FCM", async () => {
    const { deliveryId, message } = await arrived("fcm");
    expect(message.parsed).toEqual({
      message: {
        token: message.to,
        notification: { title: "Order 7", body: "It left.", image: "https://shop.example/pictures/7.png" },
        data: { order: "7", who: "Ann", link: "https://shop.example/orders/7", delivery_id: deliveryId },
        android: {
          ttl: expect.stringMatching(/^(?:600|59\d)s$/),
          priority: "HIGH",
          collapse_key: "order-7",
          notification: { tag: "order-7", notification_count: 7, sound: "ding.caf" },
        },
        apns: {
          headers: {
            "apns-collapse-id": "order-7",
            "apns-priority": "10",
            "apns-expiration": expect.stringMatching(/^\d{10}$/),
          },
          payload: { aps: { badge: 7, sound: "ding.caf", "mutable-content": 1 } },
          fcm_options: { image: "https://shop.example/pictures/7.png" },
        },
        webpush: {
          headers: {
            Topic: expect.stringMatching(/^[\w-]{32}$/),
            TTL: expect.stringMatching(/^(?:600|59\d)$/),
            Urgency: "high",
          },
          fcm_options: { link: "https://shop.example/orders/7" },
        },
      },
    });
  });

  it("sends every field of a push to APNs", async () => {
    const { deliveryId, message } = await arrived("apns");
    expect(message.parsed).toEqual({
      order: "7",
      who: "Ann",
      aps: { alert: { title: "Order 7", body: "It left." }, sound: "ding.caf", badge: 7, "mutable-content": 1 },
      link: "https://shop.example/orders/7",
      image: "https://shop.example/pictures/7.png",
      delivery_id: deliveryId,
    });
    expect(message.headers).toMatchObject({
      "apns-id": deliveryId,
      "apns-collapse-id": "order-7",
      "apns-priority": "10",
      "apns-push-type": "alert",
    });
    const secondsAhead = Number(message.headers["apns-expiration"]) - Date.parse(message.received_at) / 1000;
    expect(secondsAhead).toBeLessThanOrEqual(600);
    expect(secondsAhead).toBeGreaterThan(500);
  });

  it("sends every field of a push to a web push service", async () => {
    const { deliveryId, message } = await arrived("web_push");
    expect(message.parsed).toEqual({
      title: "Order 7",
      body: "It left.",
      link: "https://shop.example/orders/7",
      image: "https://shop.example/pictures/7.png",
      badge: 7,
      tag: "order-7",
      data: { order: "7", who: "Ann" },
      delivery_id: deliveryId,
    });
    expect(message.headers).toMatchObject({
      ttl: expect.stringMatching(/^(?:600|59\d)$/),
      urgency: "high",
      topic: expect.stringMatching(/^[\w-]{32}$/),
    });
  });

  it("sends every field of a push to LINE", async () => {
    const { link, image } = everyField;
    const { message } = await arrived("line", { data: {}, link, image });
    expect(message.parsed).toEqual({
      to: message.to,
      messages: [
        { type: "text", text: "Order 7\nIt left.\nhttps://shop.example/orders/7" },
        {
          type: "image",
          originalContentUrl: "https://shop.example/pictures/7.png",
          previewImageUrl: "https://shop.example/pictures/7.png",
        },
      ],
    });
  });
});

describe("priority and sound of a push", () => {
  it("sends a normal push and a silent one in the form of each provider", async () => {
    const quiet = { data: {}, sound: "none", priority: "normal" };
    const apns = (await arrived("apns", quiet)).message;
    expect(apns.parsed).toMatchObject({ aps: { alert: { title: "Order 7", body: "It left." } } });
    expect(JSON.stringify(apns.parsed)).not.toContain("sound");
    expect(apns.headers["apns-priority"]).toBe("5");
    const webPush = (await arrived("web_push", quiet)).message;
    expect(webPush.parsed).toMatchObject({ silent: true });
    expect(webPush.headers.urgency).toBe("normal");
    const fcm = (await arrived("fcm", quiet)).message;
    expect(fcm.parsed).toMatchObject({ message: { android: { priority: "NORMAL" } } });
    expect(JSON.stringify(fcm.parsed)).not.toContain("sound");
  });
});

describe("a push at the limit of its channel", () => {
  it.each(["fcm", "apns", "web_push"] as const)(
    "%s: sends a message at the size limit, and rejects one more byte when the intent is created",
    async (channel) => {
      const { clientId, send: push, newest } = await prepare(channel, { data: { note: "{{ name }}" } });
      await expect(push({ number: 7, name: "a".repeat(4_096) })).rejects.toMatchObject({
        code: "template_variables_mismatch",
        details: {
          violations: [{ code: "too_large", message: expect.stringContaining(`the ${channel} message has`) }],
        },
      });
      const refusal = await push({ number: 7, name: "a".repeat(4_096) }).catch((error: unknown) =>
        JSON.stringify((error as { details: unknown }).details),
      );
      const [, bytes = "0"] = /message has (\d+) bytes/.exec(refusal) ?? [];
      const name = "a".repeat(4_096 - (Number(bytes) - payloadBytesMax[channel]));
      await expect(push({ number: 7, name: `${name}a` })).rejects.toMatchObject({
        code: "template_variables_mismatch",
      });
      expect(await finished(stack, clientId, await push({ number: 7, name }))).toMatchObject({ status: "sent" });
      const { raw } = await newest();
      if (channel === "apns") expect(Buffer.byteLength(raw)).toBe(4_096);
      if (channel === "web_push") expect(Buffer.from(raw, "base64url")).toHaveLength(4_096);
    },
  );

  it.each([
    ["line", 5_000 - "Order 7\n".length, "messages.0.text", 5_000],
    ["email", 512 * 1024, "text", 512 * 1024],
  ] as const)(
    "%s: delivers the whole text, and rejects one character more when the intent is accepted",
    async (channel, length, path, arrives) => {
      const { clientId, send: push, newest } = await prepare(channel, null, "{{ name }}");
      const name = "a".repeat(length);
      await expect(push({ number: 7, name: `${name}a` })).rejects.toMatchObject({
        code: "template_variables_mismatch",
        details: { violations: [{ code: "too_large" }] },
      });
      expect(await finished(stack, clientId, await push({ number: 7, name }))).toMatchObject({ status: "sent" });
      const parsed = (await newest()).parsed as Readonly<Record<string, unknown>>;
      const text = path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], parsed);
      expect(String(text).trimEnd()).toHaveLength(arrives);
    },
  );

  it("names the channel when a field is unusable", async () => {
    const { send: push } = await prepare("apns", { data: {}, link: "{{ name }}" });
    await expect(push({ number: 7, name: "javascript:alert(1)" })).rejects.toMatchObject({
      code: "template_variables_mismatch",
      details: { violations: [{ path: "/variables", message: expect.stringContaining("link of the apns message") }] },
    });
  });
});

describe("the time to live of a push", () => {
  it("ends the attempts of a delivery at its time to live", async () => {
    const { clientId, send: push } = await prepare("apns", { data: {}, ttlSeconds: 60 });
    stack.sink.setFault({ channel: "apns", kind: "service_unavailable", headers: { "retry-after": "61" } });
    expect(await finished(stack, clientId, await push())).toMatchObject({ status: "failed", attempts: 1 });
  });
});

describe("the catalog of a client with push fields", () => {
  it("shows the fields of a push as they were applied, and reports a different field as a change", async () => {
    const { clientId } = await prepare("apns", everyField);
    const { templates } = await stack.admin.showCatalog({ projectClientId: clientId }, callOf(clientId));
    expect(templates).toMatchObject([{ push: everyField }]);
    const template = { key: "shipped", channel: "apns", locale: "en", ...texts };
    const apply = (push: object) =>
      stack.admin.applyCatalog(
        { projectClientId: clientId, templates: [{ ...template, push: push }] },
        callOf(clientId),
      );
    expect(await apply(everyField)).toMatchObject({ unchanged: 1 });
    expect(await apply({ ...everyField, sound: "dong.caf" })).toMatchObject({ changed: ["shipped apns en"] });
    await expect(apply({ data: {}, priority: "urgent" })).rejects.toMatchObject({
      details: { violations: [{ path: "/templates/0/priority" }] },
    });
  });
});

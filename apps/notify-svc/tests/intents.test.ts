import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { callOf, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

async function ready(channel: Channel) {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const { endpointId } = await verifiedEndpoint(stack, channel, clientId);
  const request = {
    senderProfileId: profileId,
    templateKey: "shipped",
    locale: "en",
    endpointId,
    variablesJson: '{"number":7,"name":"Ann"}',
  };
  return { clientId, profileId, endpointId, request };
}

describe("an intent's idempotency key", () => {
  it("creates one delivery for concurrent uses of a key", async () => {
    const { clientId, request } = await ready("email");
    const call = callOf(clientId, "key-1");
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => stack.notifications.createNotificationIntent(request, call)),
    );
    expect(new Set(replies.map(({ intent }) => intent?.deliveryId)).size).toBe(1);
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it("refuses a key that was used for another request", async () => {
    const { clientId, request } = await ready("email");
    await stack.notifications.createNotificationIntent(request, callOf(clientId, "key-1"));
    await expect(
      stack.notifications.createNotificationIntent(request, callOf(clientId, "key-1", "e".repeat(64))),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  it("returns the first outcome for a repeat even when the request would now be rejected", async () => {
    const { clientId, endpointId, request } = await ready("line");
    const create = () =>
      stack.notifications.createChannelNotificationIntent({ ...request, purpose: "orders" }, callOf(clientId, "key-1"));
    const first = await create();
    await stack.endpoints.revokeDeliveryEndpoint({ endpointId }, callOf(clientId));
    expect(await create()).toEqual({ ...first, replayed: true });
    await expect(
      stack.notifications.createChannelNotificationIntent(
        { ...request, purpose: "orders" },
        callOf(clientId, "key-1", "e".repeat(64)),
      ),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  it("keeps the idempotency keys of the two intent operations separate", async () => {
    const email = await ready("email");
    const made = await stack.notifications.createNotificationIntent(email.request, callOf(email.clientId, "key-1"));
    const { id } = await stack.admin.createSenderProfile(
      { projectClientId: email.clientId, channel: "line", name: "l", configJson: '{"channel_access_token":"t"}' },
      callOf(email.clientId),
    );
    const line = await verifiedEndpoint(stack, "line", email.clientId);
    const other = await stack.notifications.createChannelNotificationIntent(
      { ...email.request, senderProfileId: id, endpointId: line.endpointId, purpose: "orders" },
      callOf(email.clientId, "key-1"),
    );
    expect(other.replayed).toBe(false);
    expect(other.intent?.deliveryId).not.toBe(made.intent?.deliveryId);
  });
});

describe("an invalid intent", () => {
  const refusals: [string, Partial<Record<string, unknown>>, string][] = [
    ["an unknown endpoint", { endpointId: newId() }, "delivery_endpoint_not_found"],
    ["an unknown sender profile", { senderProfileId: newId() }, "sender_profile_not_found"],
    ["an unknown template", { templateKey: "nope" }, "template_not_found"],
    ["a locale that has no template and no fallback", { locale: "ja" }, "template_not_found"],
    ["a missing variable", { variablesJson: '{"number":7}' }, "template_variables_mismatch"],
    ["an extra variable", { variablesJson: '{"number":7,"name":"a","x":1}' }, "template_variables_mismatch"],
    ["a mistyped variable", { variablesJson: '{"number":7.5,"name":"a"}' }, "template_variables_mismatch"],
    ["a text where a number belongs", { variablesJson: '{"number":"7","name":"a"}' }, "template_variables_mismatch"],
  ];
  it.each(refusals)("refuses an intent with %s", async (_what, change, code) => {
    const { clientId, request } = await ready("email");
    await expect(
      stack.notifications.createNotificationIntent({ ...request, ...change }, callOf(clientId, "k")),
    ).rejects.toMatchObject({ code });
  });

  it("refuses an endpoint that is not verified", async () => {
    const { clientId, request } = await ready("email");
    const { id } = await stack.endpoints.registerEmailDeliveryEndpoint(
      { address: "x@people.example" },
      callOf(clientId),
    );
    await expect(
      stack.notifications.createNotificationIntent({ ...request, endpointId: id }, callOf(clientId, "k")),
    ).rejects.toMatchObject({ code: "delivery_endpoint_not_verified" });
  });

  it("refuses different channels in one intent", async () => {
    const email = await ready("email");
    const { id } = await stack.admin.createSenderProfile(
      { projectClientId: email.clientId, channel: "line", name: "l", configJson: '{"channel_access_token":"t"}' },
      callOf(email.clientId),
    );
    const line = await verifiedEndpoint(stack, "line", email.clientId);
    const mismatch = { code: "channel_mismatch" };
    const create = (change: object) =>
      stack.notifications.createNotificationIntent({ ...email.request, ...change }, callOf(email.clientId, "k"));
    await expect(create({ senderProfileId: id })).rejects.toMatchObject(mismatch);
    await expect(create({ endpointId: line.endpointId })).rejects.toMatchObject(mismatch);
    await expect(
      stack.notifications.createChannelNotificationIntent(
        { ...email.request, endpointId: line.endpointId, purpose: "orders" },
        callOf(email.clientId, "k"),
      ),
    ).rejects.toMatchObject(mismatch);
  });

  it("refuses a purpose without consent, or with consent withdrawn", async () => {
    const { clientId, endpointId, request } = await ready("line");
    const create = (purpose: string) =>
      stack.notifications.createChannelNotificationIntent({ ...request, purpose }, callOf(clientId, newId()));
    await expect(create("news")).rejects.toMatchObject({ code: "consent_required" });
    await create("orders");
    await stack.endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: false }, callOf(clientId));
    await expect(create("orders")).rejects.toMatchObject({ code: "consent_required" });
  });

  it("rejects a push larger than its provider accepts, and sends the same text by email", async () => {
    const variables = { number: 7, name: "字".repeat(5000) };
    const line = await ready("line");
    await expect(send(stack, "line", line, { variables })).rejects.toMatchObject({
      code: "template_variables_mismatch",
      details: { violations: [{ path: "/variables", code: "too_large" }] },
    });
    const email = await ready("email");
    expect(await send(stack, "email", email, { variables })).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a catalog", () => {
  const template = { key: "k", channel: "email", locale: "ja", subject: "s", text: "t", variables: {} };

  it("replaces a catalog as a whole and reports the changes", async () => {
    const clientId = newId();
    const apply = (templates: object[]) =>
      stack.admin.applyCatalog({ projectClientId: clientId, templates }, callOf(clientId));
    expect(await apply([template, { ...template, key: "l" }])).toMatchObject({
      added: ["k email ja", "l email ja"],
      unchanged: 0,
    });
    expect(await apply([template, { ...template, locale: "en" }])).toMatchObject({
      added: ["k email en"],
      changed: [],
      removed: ["l email ja"],
      unchanged: 1,
    });
    expect(await apply([{ ...template, text: "other" }])).toMatchObject({
      changed: ["k email ja"],
      removed: ["k email en"],
    });
    const { templates } = await stack.admin.showCatalog({ projectClientId: clientId }, callOf(clientId));
    expect(templates.map(({ key, locale, text }) => [key, locale, text])).toEqual([["k", "ja", "other"]]);
  });

  it("changes nothing when a catalog has one bad template", async () => {
    const { clientId } = await ready("email");
    const bad = [{ ...template }, { ...template, locale: "en", text: "{{ undeclared }}" }];
    await expect(
      stack.admin.applyCatalog({ projectClientId: clientId, templates: bad }, callOf(clientId)),
    ).rejects.toMatchObject({ code: "contract_violation" });
    const { templates } = await stack.admin.showCatalog({ projectClientId: clientId }, callOf(clientId));
    expect(templates).toHaveLength(5);
  });

  it("falls back from an unknown locale to the language and to the profile's default", async () => {
    const { clientId, request } = await ready("email");
    const create = (change: object) =>
      stack.notifications.createNotificationIntent({ ...request, ...change }, callOf(clientId, newId()));
    expect((await create({ locale: "en-GB" })).intent?.status).toBe("pending");
    await expect(create({ locale: "xx" })).rejects.toMatchObject({ code: "template_not_found" });
    const configJson = JSON.stringify({ from: "a@shop.example", default_locale: "en" });
    const { id } = await stack.admin.createSenderProfile(
      { projectClientId: clientId, channel: "email", name: "en", configJson },
      callOf(clientId),
    );
    expect((await create({ locale: "xx", senderProfileId: id })).intent?.status).toBe("pending");
  });
});

describe("a sender profile", () => {
  it.each([
    ["email", { smtp_url: "smtp://x" }, "from"],
    ["email", { from: "a@b.example\r\nBcc: c@d.example" }, "from"],
    ["email", { from: "a@b.example", smtp_url: "http://x" }, "smtp_url"],
    [
      "email",
      { from: "a@b.example", dkim: { domain: "b.example", selector: "s", private_key: "x" } },
      "dkim.private_key",
    ],
    ["fcm", { project_id: "p", client_email: "c", private_key: "not a key" }, "private_key"],
    ["web_push", { subject: "mailto:a@b", public_key: "A", private_key: "B" }, "private_key"],
    ["line", { channel_access_token: "t", nope: 1 }, "nope"],
  ])("%s: refuses an invalid configuration, and names the reason", async (channel, config, field) => {
    const clientId = newId();
    const request = { projectClientId: clientId, channel, name: "n", configJson: JSON.stringify(config) };
    await expect(stack.admin.createSenderProfile(request, callOf(clientId))).rejects.toMatchObject({
      code: "contract_violation",
      details: { violations: [{ path: "/config", message: expect.stringContaining(field) }] },
    });
  });

  it("lists sender profiles without their secrets", async () => {
    const { clientId, profileId } = await prepareClient(stack, "line");
    const listed = await stack.admin.listSenderProfiles({ projectClientId: clientId }, callOf(clientId));
    expect(listed.senderProfiles).toMatchObject([{ id: profileId, channel: "line", name: "main", mode: "" }]);
    expect(JSON.stringify(listed, (_, value) => (typeof value === "bigint" ? Number(value) : value))).not.toContain(
      "token",
    );
  });

  it("refuses every admin call without the operator token", async () => {
    const connection = connectGrpc({ address: `127.0.0.1:${stack.server.grpcPort}`, tls: null });
    const admin = connection.service(NotifyAdminService);
    await expect(admin.listSenderProfiles({ projectClientId: newId() }, callOf(newId()))).rejects.toMatchObject({
      code: "unauthenticated",
    });
    connection.close();
  });
});

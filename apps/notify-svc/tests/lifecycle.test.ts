import { createHash } from "node:crypto";
import { newId } from "@platform/kit/process/secrets";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addressOf,
  callOf,
  configOf,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  tokenThatArrived,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

describe("an email endpoint", () => {
  it("keeps one endpoint for all spellings of an address, and replaces its token on registering again", async () => {
    const clientId = newId();
    const register = (address: string) => stack.endpoints.registerEmailDeliveryEndpoint({ address }, callOf(clientId));
    const first = await register("  Ann@People.Example ");
    const second = await register("ann@people.example");
    expect(second.id).toBe(first.id);
    const verify = (token = "") =>
      stack.endpoints.verifyEmailDeliveryEndpoint({ endpointId: first.id, token }, callOf(clientId));
    await expect(verify(first.verificationToken)).rejects.toMatchObject({ code: "verification_token_invalid" });
    expect(await verify(second.verificationToken)).toMatchObject({ id: first.id, status: "verified" });
    const again = await register("ANN@people.example");
    expect(again).toMatchObject({ id: first.id, status: "verified" });
    expect(again.verificationToken).toBeUndefined();
  });

  it("keeps one endpoint for the Unicode and the ASCII form of a domain", async () => {
    const clientId = newId();
    const register = (address: string) => stack.endpoints.registerEmailDeliveryEndpoint({ address }, callOf(clientId));
    const first = await register("ann@例え.テスト");
    expect((await register("Ann@XN--R8JZ45G.xn--zckzah")).id).toBe(first.id);
    const mongo = await MongoClient.connect(stack.mongo.uri);
    const stored = "ann@例え.テスト";
    const hash = createHash("sha256").update(`email\0${stored}`).digest("hex");
    await mongo
      .db(stack.mongo.database)
      .collection<{ _id: string }>("delivery_endpoints")
      .updateOne({ _id: first.id }, { $set: { address: stored, address_hash: hash } });
    await mongo.close();
    for (const address of [stored, "ann@xn--r8jz45g.xn--zckzah"]) expect((await register(address)).id).toBe(first.id);
  });

  it("creates one endpoint for concurrent registrations", async () => {
    const clientId = newId();
    const ids = await Promise.all(
      Array.from({ length: 20 }, () =>
        stack.endpoints.registerEmailDeliveryEndpoint({ address: "b@people.example" }, callOf(clientId)),
      ),
    );
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  });

  it("counts every wrong attempt, also concurrent ones", async () => {
    const clientId = newId();
    const made = await stack.endpoints.registerEmailDeliveryEndpoint({ address: "c@people.example" }, callOf(clientId));
    const verify = (token: string) =>
      stack.endpoints.verifyEmailDeliveryEndpoint({ endpointId: made.id, token }, callOf(clientId));
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => verify("0".repeat(64))));
    const codes = tries.map((each) => (each.status === "rejected" ? each.reason.code : "verified"));
    expect(codes.filter((code) => code === "verification_token_invalid")).toHaveLength(5);
    expect(codes.filter((code) => code === "verification_locked")).toHaveLength(15);
    await expect(verify(made.verificationToken ?? "")).rejects.toMatchObject({ code: "verification_locked" });
  });
});

describe("a channel endpoint", () => {
  it("sends a channel endpoint at most one token a minute, and invalidates the earlier one", async () => {
    const { clientId } = await prepareClient(stack, "fcm");
    const identifier = addressOf(stack, "fcm");
    const register = async () =>
      (await stack.endpoints.registerDeliveryEndpoint({ channel: "fcm", identifier }, callOf(clientId))).endpoint;
    const endpointId = (await register())?.id ?? "";
    const first = await tokenThatArrived(stack, "fcm", identifier);
    expect((await register())?.id).toBe(endpointId);
    stack.advance(61_000);
    await register();
    const second = await tokenThatArrived(stack, "fcm", identifier, 1);
    expect(second).not.toBe(first);
    const verify = (token: string) => stack.endpoints.verifyDeliveryEndpoint({ endpointId, token }, callOf(clientId));
    await expect(verify(first)).rejects.toMatchObject({ code: "verification_token_invalid" });
    expect((await verify(second)).endpoint?.status).toBe("verified");
    expect(await stack.sink.messages({ channel: "fcm", to: identifier })).toHaveLength(2);
  });

  it("sends the token once a sender profile exists", async () => {
    const clientId = newId();
    const identifier = addressOf(stack, "fcm");
    await stack.endpoints.registerDeliveryEndpoint({ channel: "fcm", identifier }, callOf(clientId));
    const configJson = JSON.stringify(configOf("fcm"));
    await stack.admin.createSenderProfile(
      { projectClientId: clientId, channel: "fcm", name: "late", configJson },
      callOf(clientId),
    );
    expect(await tokenThatArrived(stack, "fcm", identifier)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("verifies through the profile marked for verification", async () => {
    const { clientId } = await prepareClient(stack, "apns");
    const configJson = JSON.stringify({ ...configOf("apns"), topic: "example.verify", verification: true });
    await stack.admin.createSenderProfile(
      { projectClientId: clientId, channel: "apns", name: "verify", configJson },
      callOf(clientId),
    );
    const { address } = await verifiedEndpoint(stack, "apns", clientId);
    const [push] = await stack.sink.messages({ channel: "apns", to: address });
    expect(push?.headers["apns-topic"]).toBe("example.verify");
    expect(push?.headers["apns-push-type"]).toBe("background");
  });

  it("hides endpoints of another Project Client", async () => {
    const { clientId, profileId } = await prepareClient(stack, "fcm");
    const { endpointId } = await verifiedEndpoint(stack, "fcm", clientId);
    const stranger = callOf(newId());
    const absent = { code: "delivery_endpoint_not_found" };
    await expect(stack.endpoints.getDeliveryEndpoint({ endpointId }, stranger)).rejects.toMatchObject(absent);
    await expect(stack.endpoints.revokeDeliveryEndpoint({ endpointId }, stranger)).rejects.toMatchObject(absent);
    const other = await prepareClient(stack, "fcm");
    await expect(send(stack, "fcm", { ...other, endpointId })).rejects.toMatchObject(absent);
    const own = await verifiedEndpoint(stack, "fcm", other.clientId);
    await expect(
      send(stack, "fcm", { clientId: other.clientId, profileId, endpointId: own.endpointId }),
    ).rejects.toMatchObject({ code: "sender_profile_not_found" });
    const deliveryId = await send(stack, "fcm", { clientId, profileId, endpointId });
    await expect(stack.notifications.getNotificationDelivery({ deliveryId }, stranger)).rejects.toMatchObject({
      code: "notification_delivery_not_found",
    });
  });

  it.each([
    ["not JSON", "x".repeat(30)],
    ["no keys", '{"endpoint":"https://push.example/abc"}'],
    ["a private address", '{"endpoint":"https://10.0.0.1/abc","keys":KEYS}'],
    ["a metadata service", '{"endpoint":"http://169.254.169.254/latest","keys":KEYS}'],
    ["http elsewhere", '{"endpoint":"http://93.184.215.14/abc","keys":KEYS}'],
    [
      "a key that is no point",
      '{"endpoint":"https://93.184.215.14/abc","keys":{"p256dh":"AAAA","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}',
    ],
  ])("web_push: refuses %s as a contract violation at /identifier", async (_what, text) => {
    const { keys } = stack.sink.createPushSubscription();
    const identifier = text.replace("KEYS", JSON.stringify(keys));
    await expect(
      stack.endpoints.registerDeliveryEndpoint({ channel: "web_push", identifier }, callOf(newId())),
    ).rejects.toMatchObject({ code: "contract_violation", details: { violations: [{ path: "/identifier" }] } });
  });

  it("web_push: finds one endpoint for two spellings of a subscription", async () => {
    const clientId = newId();
    const { endpoint, keys } = stack.sink.createPushSubscription();
    const register = async (identifier: string) =>
      (await stack.endpoints.registerDeliveryEndpoint({ channel: "web_push", identifier }, callOf(clientId))).endpoint
        ?.id;
    const first = await register(JSON.stringify({ endpoint, keys, expirationTime: null }));
    expect(await register(JSON.stringify({ keys: { auth: keys.auth, p256dh: keys.p256dh }, endpoint }, null, 2))).toBe(
      first,
    );
  });
});

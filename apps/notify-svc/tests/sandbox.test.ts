import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import {
  addressOf,
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  sinkNameOf,
  startNotifyStack,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

const inEnvironment = (clientId: string, environment: string) => {
  const call = callOf(clientId);
  const { context } = call;
  if (context.projectClient === null) throw new Error("the call has no client");
  return { ...call, context: { ...context, projectClient: { ...context.projectClient, environment } } };
};
const captured = async (clientId: string) =>
  (await stack.capturedAdmin.listCapturedMessages({ projectClientId: clientId }, callOf(clientId))).messages;
const shown = async (deliveryId: string) =>
  (await stack.capturedAdmin.showCapturedMessage({ deliveryId }, callOf(""))).message;
const endpointNow = async (endpointId: string) =>
  (await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(""))).endpoint;
const arrived = (channel: Channel, address: string) =>
  stack.sink.messages({ channel, to: sinkNameOf(channel, address) });

async function mailEndpoint(clientId: string, address: string, environment = "development"): Promise<string> {
  const call = inEnvironment(clientId, environment);
  const { id, verificationToken } = await stack.endpoints.registerEmailDeliveryEndpoint({ address }, call);
  await stack.endpoints.verifyEmailDeliveryEndpoint({ endpointId: id, token: verificationToken ?? "" }, call);
  return id;
}
/** Registers a push endpoint, and verifies it with the token that was captured. */
async function capturedEndpoint(clientId: string, channel: Channel, address: string, environment = "development") {
  const call = inEnvironment(clientId, environment);
  const { endpoint } = await stack.endpoints.registerDeliveryEndpoint({ channel, identifier: address }, call);
  const endpointId = endpoint?.id ?? "";
  const [message] = await eventually(async () => {
    const all = await captured(clientId);
    return all.length > 0 && all;
  });
  const token = (await shown(message?.deliveryId ?? ""))?.token ?? "";
  await stack.endpoints.verifyDeliveryEndpoint({ endpointId, token }, call);
  await stack.endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: true }, call);
  return { endpointId, pushId: message?.deliveryId ?? "" };
}

describe("a sender profile that captures", () => {
  it.each(["fcm", "apns", "web_push"] as const)(
    "sends no %s to the provider, not even the verification push",
    async (channel) => {
      const { clientId, profileId } = await prepareClient(stack, channel, { mode: "capture" });
      const address = addressOf(stack, channel);
      const { endpointId } = await capturedEndpoint(clientId, channel, address);
      const deliveryId = await send(stack, channel, { clientId, profileId, endpointId });
      expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", providerStatus: "captured" });
      const message = await shown(deliveryId);
      expect(message).toMatchObject({ channel, projectClientId: clientId, subject: "Order 7" });
      expect(message?.payloadJson).toContain(`"delivery_id":"${deliveryId}"`);
      expect(await arrived(channel, address)).toEqual([]);
    },
  );

  it("captures an email as it would have been sent, encrypted, and lists it without its contents", async () => {
    const { clientId, profileId } = await prepareClient(stack, "email", { mode: "capture" });
    const address = addressOf(stack, "email");
    const endpointId = await mailEndpoint(clientId, address);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId }, { marketingPurpose: "news" });
    await finished(stack, clientId, deliveryId);
    expect(await shown(deliveryId)).toMatchObject({
      subject: "Order 7",
      text: "Dear Ann, order 7 left.",
      html: expect.stringContaining("<b>Ann</b>"),
      unsubscribeUrl: expect.stringContaining("/api/v1/unsubscribe/"),
      payloadJson: expect.stringContaining("no-reply@shop.example"),
    });
    const [listed] = await captured(clientId);
    expect(listed).toMatchObject({ deliveryId, channel: "email", payloadJson: "" });
    expect(listed?.text).toBeUndefined();
    expect(listed?.toHint).not.toContain(address);
    const driver = await MongoClient.connect(stack.mongo.uri);
    const stored = await driver
      .db(stack.mongo.database)
      .collection<{ _id: string }>("captured_messages")
      .findOne({ _id: deliveryId });
    await driver.close();
    expect(stored).not.toBeNull();
    expect(JSON.stringify(stored)).not.toMatch(/Ann|order 7/);
    expect(await arrived("email", address)).toEqual([]);
  });

  it("returns a result for a profile's test without calling the provider", async () => {
    const { profileId } = await prepareClient(stack, "email", { mode: "capture" });
    const test = { senderProfileId: profileId, to: addressOf(stack, "email") };
    expect(await stack.profileAdmin.testSenderProfile(test, callOf(""))).toMatchObject({
      accepted: true,
      detail: "captured",
    });
    expect(await arrived("email", test.to)).toEqual([]);
  });

  it("captures messages by default in a sandbox, and in no other environment", async () => {
    const outcomes: unknown[] = [];
    for (const [environment, mode] of [
      ["sandbox", undefined],
      ["sandbox", "send"],
      ["development", undefined],
      ["production", "capture"],
    ] as const) {
      const { clientId, profileId } = await prepareClient(stack, "email", defined({ mode }));
      const address = addressOf(stack, "email");
      const endpointId = await mailEndpoint(clientId, address, environment);
      const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
      const { providerStatus } = await finished(stack, clientId, deliveryId);
      const { senderProfiles } = await stack.admin.listSenderProfiles({ projectClientId: clientId }, callOf(clientId));
      const [{ mode: listed } = {}] = senderProfiles;
      outcomes.push([environment, mode, listed, providerStatus, (await arrived("email", address)).length]);
    }
    expect(outcomes).toEqual([
      ["sandbox", undefined, "capture", "captured", 0],
      ["sandbox", "send", "send", "accepted", 1],
      ["development", undefined, "send", "accepted", 1],
      ["production", "capture", "capture", "captured", 0],
    ]);
  });

  it("keeps captured messages for 7 days and not longer", async () => {
    const { clientId, profileId } = await prepareClient(stack, "email", { mode: "capture" });
    const endpointId = await mailEndpoint(clientId, addressOf(stack, "email"));
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
    await finished(stack, clientId, deliveryId);
    const driver = await MongoClient.connect(stack.mongo.uri);
    const messages = driver.db(stack.mongo.database).collection<{ _id: string }>("captured_messages");
    const age = (ms: number) =>
      messages.updateOne({ _id: deliveryId }, { $set: { created_at: new Date(Date.now() - 7 * 86_400_000 + ms) } });
    await age(60_000);
    const first = await stack.startWorker();
    await first.close();
    expect(await captured(clientId)).toHaveLength(1);
    await age(-1);
    const second = await stack.startWorker();
    await eventually(async () => (await captured(clientId)).length === 0);
    await second.close();
    await driver.close();
    await expect(shown(deliveryId)).rejects.toMatchObject({ code: "contract_violation" });
  });
});

describe("a test recipient", () => {
  const sendTo = async (mailbox: string, environment = "development", more: { marketingPurpose?: string } = {}) => {
    const { clientId, profileId } = await prepareClient(stack, "email");
    const address = `${mailbox}@sandbox.invalid`;
    const endpointId = await mailEndpoint(clientId, address, environment);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId }, more);
    return { clientId, endpointId, profileId, deliveryId, address };
  };

  it("marks a message to delivered@ as sent, without sending it to a provider", async () => {
    const { clientId, deliveryId, address } = await sendTo("delivered");
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", providerStatus: "captured" });
    expect(await arrived("email", address)).toEqual([]);
  });

  it("fails a message to bounced@ after it was sent, and revokes its endpoint", async () => {
    const { clientId, endpointId, deliveryId, address } = await sendTo("bounced");
    const delivery = await eventually(async () => {
      const { delivery: now } = await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId));
      return now?.status === "failed" && now;
    });
    expect(delivery).toMatchObject({ providerStatus: "captured", lastErrorCode: "bounced", attempts: 1 });
    expect(await endpointNow(endpointId)).toMatchObject({ status: "revoked", lastErrorCode: "bounced" });
    expect(await arrived("email", address)).toEqual([]);
  });

  it("withdraws the consent to marketing after a message to complained@, which stays sent", async () => {
    // There is only one email before the complaint, because the complaint ends the consent to every marketing purpose and thereby stops other waiting emails.
    const sent = await sendTo("complained", "development", { marketingPurpose: "news" });
    const { clientId, endpointId, profileId, deliveryId } = sent;
    const ids = { clientId, profileId, endpointId };
    await eventually(async () => {
      const refused = await send(stack, "email", ids, { marketingPurpose: "news" }).catch(
        (error: { code: string }) => error.code,
      );
      return refused === "consent_withdrawn";
    });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", providerStatus: "captured" });
    expect((await endpointNow(endpointId))?.status).toBe("verified");
  });

  it("postpones a message to slow@ once, and sends it ten seconds later", async () => {
    const { clientId, deliveryId } = await sendTo("slow");
    const now = async () =>
      (await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId))).delivery;
    await eventually(async () => (await now())?.providerStatus === "throttled");
    expect(await now()).toMatchObject({ status: "pending", attempts: 1, lastErrorCode: "smtp_451" });
    stack.advance(10_000);
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({
      status: "sent",
      attempts: 2,
      providerStatus: "captured",
    });
  });

  it.each(["fcm", "apns"] as const)("fails the verification of a token dead-… by %s", async (channel) => {
    const { clientId } = await prepareClient(stack, channel);
    const identifier = `dead-${newId()}`;
    const { endpoint } = await stack.endpoints.registerDeliveryEndpoint({ channel, identifier }, callOf(clientId));
    const endpointId = endpoint?.id ?? "";
    await eventually(async () => (await endpointNow(endpointId))?.status === "verification_failed");
    expect(await endpointNow(endpointId)).toMatchObject({ lastErrorCode: `${channel}_unregistered` });
    expect(await arrived(channel, identifier)).toEqual([]);
  });

  it.each(["fcm", "apns"] as const)(
    "throttles each push of %s to a token throttled-… once, and then accepts it",
    async (channel) => {
      const { clientId, profileId } = await prepareClient(stack, channel);
      const address = `throttled-${newId()}`;
      const { endpointId, pushId } = await capturedEndpoint(clientId, channel, address);
      const attemptsOf = async (deliveryId: string) =>
        (await stack.admin.showDelivery({ deliveryId }, callOf(""))).delivery?.attemptLog.map(
          ({ providerStatus }) => providerStatus,
        );
      expect(await attemptsOf(pushId)).toEqual(["throttled", "captured"]);
      const deliveryId = await send(stack, channel, { clientId, profileId, endpointId });
      expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", attempts: 2 });
      expect(await attemptsOf(deliveryId)).toEqual(["throttled", "captured"]);
      expect(await arrived(channel, address)).toEqual([]);
    },
  );

  it("treats a test recipient like any other in production", async () => {
    const { clientId, deliveryId, address } = await sendTo("delivered", "production");
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ providerStatus: "accepted" });
    expect(await arrived("email", address)).toHaveLength(1);
  });
});

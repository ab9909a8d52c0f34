import type { FaultInput } from "@platform/provider-sink";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import {
  addressOf,
  callOf,
  configOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  sinkNameOf,
  startNotifyStack,
  tokenThatArrived,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack({ env: { PROVIDER_ANSWER_MS: "1000" } });
  await stack.startWorker();
});
beforeEach(() => stack.sink.clearFaults());
afterAll(() => stack.close());

type Fault = Omit<FaultInput, "channel" | "to">;

/**
 * Sends one message while a fault is set. Returns the delivery, its endpoint, and the requests that the provider
 * received.
 */
async function sendInto(channel: Channel, fault: Fault) {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const { endpointId, address } = await verifiedEndpoint(stack, channel, clientId);
  const to = sinkNameOf(channel, address);
  const before = (await stack.sink.messages({ channel, to })).length;
  const isForAll =
    fault.stage === "tls" ||
    fault.kind === "tls_failure" ||
    fault.stage === "token" ||
    fault.stage === "mail" ||
    fault.stage === "greeting";
  stack.sink.setFault({ ...fault, channel, ...(isForAll ? {} : { to }) });
  const deliveryId = await send(stack, channel, { clientId, profileId, endpointId });
  const delivery = await finished(stack, clientId, deliveryId);
  const { endpoint } = await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(clientId));
  const received = (await stack.sink.messages({ channel, to })).slice(before);
  return { delivery, endpointStatus: endpoint?.status ?? null, received, clientId, profileId, endpointId, deliveryId };
}

describe("an address that the provider reports as dead", () => {
  it.each([
    ["fcm", "unregistered", "fcm_unregistered"],
    ["fcm", "invalid_token", "fcm_invalid_argument"],
    ["apns", "unregistered", "apns_unregistered"],
    ["apns", "expired_token", "apns_expired_token"],
    ["apns", "bad_device_token", "apns_bad_device_token"],
    ["apns", "device_token_not_for_topic", "apns_device_token_not_for_topic"],
    ["web_push", "gone", "web_push_410"],
    ["web_push", "not_found", "web_push_404"],
    ["email", "mailbox_unavailable", "smtp_550"],
    ["email", "mailbox_name_not_allowed", "smtp_553"],
  ] as const)("%s %s: revokes the endpoint at the first response", async (channel, kind, errorCode) => {
    const { delivery, endpointStatus, received, ...ids } = await sendInto(channel, { kind });
    expect(delivery).toEqual({
      status: "failed",
      attempts: 1,
      providerStatus: "address_dead",
      lastErrorCode: errorCode,
    });
    expect(endpointStatus).toBe("revoked");
    expect(received).toHaveLength(1);
    await expect(send(stack, channel, ids)).rejects.toMatchObject({ code: "delivery_endpoint_revoked" });
  });

  it("tries a dead address only once, however many deliveries are queued for it", async () => {
    const { clientId, profileId } = await prepareClient(stack, "fcm");
    const { endpointId, address } = await verifiedEndpoint(stack, "fcm", clientId);
    stack.sink.setFault({ channel: "fcm", to: address, kind: "unregistered", times: 100 });
    const ids = { clientId, profileId, endpointId };
    const deliveryIds = await Promise.all(Array.from({ length: 10 }, () => send(stack, "fcm", ids).catch(() => null)));
    const accepted = deliveryIds.filter((id) => id !== null);
    const deliveries = await Promise.all(accepted.map((id) => finished(stack, clientId, id)));
    const tried = deliveries.filter(({ lastErrorCode }) => lastErrorCode === "fcm_unregistered");
    expect(tried).toHaveLength(1);
    expect(new Set(deliveries.map(({ lastErrorCode }) => lastErrorCode))).toEqual(
      new Set(["fcm_unregistered", ...(deliveries.length > 1 ? ["delivery_endpoint_revoked"] : [])]),
    );
    const refused = (await stack.sink.messages({ channel: "fcm", to: address })).filter(
      (m) => m.answered_status === 404,
    );
    expect(refused).toHaveLength(1);
  });
});

describe("an error in the message or the credentials", () => {
  it.each([
    ["fcm", { kind: "bad_request" }, "fcm_invalid_argument"],
    ["fcm", { kind: "third_party_auth_error" }, "fcm_third_party_auth_error"],
    ["fcm", { kind: "sender_id_mismatch" }, "fcm_sender_id_mismatch"],
    ["apns", { kind: "bad_topic" }, "apns_bad_topic"],
    ["apns", { kind: "payload_too_large" }, "apns_payload_too_large"],
    ["line", { kind: "bad_request" }, "line_400"],
    ["line", { kind: "invalid_recipient" }, "line_400"],
    ["line", { kind: "unauthorized" }, "line_401"],
    ["line", { kind: "forbidden" }, "line_403"],
    ["web_push", { kind: "payload_too_large" }, "web_push_413"],
    ["email", { status: 550 }, "smtp_550"],
    ["email", { status: 550, body: "No such user, or so it seems" }, "smtp_550"],
    ["email", { kind: "mailbox_full" }, "smtp_552"],
    ["email", { kind: "rejected_content" }, "smtp_554"],
  ] as const)(
    "%s %o: fails the delivery permanently and never revokes the endpoint",
    async (channel, fault, errorCode) => {
      const { delivery, endpointStatus, received } = await sendInto(channel, fault);
      expect(delivery).toEqual({ status: "failed", attempts: 1, providerStatus: "rejected", lastErrorCode: errorCode });
      expect(endpointStatus).toBe("verified");
      expect(received).toHaveLength(1);
    },
  );

  it("fails a delivery if the key of its service account is rejected", async () => {
    const { clientId } = await prepareClient(stack, "fcm");
    const { endpointId } = await verifiedEndpoint(stack, "fcm", clientId);
    const second = JSON.stringify({
      ...configOf("fcm"),
      client_email: "another@demo.example",
    });
    const { id } = await stack.admin.createSenderProfile(
      { projectClientId: clientId, channel: "fcm", name: "second", configJson: second },
      callOf(clientId),
    );
    stack.sink.setFault({ channel: "fcm", kind: "token_invalid_grant" });
    const deliveryId = await send(stack, "fcm", { clientId, profileId: id, endpointId });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({
      status: "failed",
      lastErrorCode: "fcm_token_refused",
    });
  });
});

describe("a temporary failure", () => {
  const later: [Channel, Fault][] = [
    ["email", { status: 421 }],
    ["email", { status: 450 }],
    ["email", { status: 451, stage: "mail" }],
    ["email", { status: 554, stage: "greeting" }],
    ["email", { status: 451, stage: "data" }],
    ["email", { kind: "tls_failure" }],
    ["email", { drop: "before" }],
    ["email", { delay_ms: 5_000 }],
    ["fcm", { status: 500 }],
    ["fcm", { kind: "unavailable", headers: { "retry-after": "0" } }],
    ["fcm", { drop: "before" }],
    ["fcm", { delay_ms: 5_000 }],
    ["apns", { kind: "internal_server_error" }],
    ["apns", { kind: "too_many_requests" }],
    ["apns", { kind: "shutdown" }],
    ["apns", { drop: "before" }],
    ["apns", { delay_ms: 5_000 }],
    ["line", { kind: "internal" }],
    ["line", { kind: "too_many_requests" }],
    ["line", { drop: "before" }],
    ["line", { delay_ms: 5_000 }],
    ["web_push", { status: 500 }],
    ["web_push", { kind: "unavailable", headers: { "retry-after": "0" } }],
    ["web_push", { drop: "before" }],
    ["web_push", { delay_ms: 5_000 }],
  ];
  it.each(later)("%s %o: retries until the delivery is accepted", async (channel, fault) => {
    const { delivery, endpointStatus } = await sendInto(channel, { ...fault, times: 2 });
    expect(delivery).toEqual({ status: "sent", attempts: 3, providerStatus: "accepted", lastErrorCode: null });
    expect(endpointStatus).toBe("verified");
  });

  it.each(["fcm", "web_push"] as const)("%s 429: waits at least for the time in Retry-After", async (channel) => {
    const { delivery, received } = await sendInto(channel, { status: 429, headers: { "retry-after": "2" } });
    expect(delivery).toMatchObject({ status: "sent", attempts: 2 });
    const [first, second] = received.map(({ received_at }) => Date.parse(received_at));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it("gives up a delivery after eight attempts with the last error, until an operator retries it", async () => {
    const { delivery, received, clientId, deliveryId } = await sendInto("line", { kind: "internal", times: 8 });
    expect(delivery).toEqual({
      status: "failed",
      attempts: 8,
      providerStatus: "unavailable",
      lastErrorCode: "line_500",
    });
    expect(received).toHaveLength(8);
    const shown = await stack.admin.showDelivery({ deliveryId }, callOf(clientId));
    expect(shown.delivery?.attemptLog.map(({ attempt, errorCode }) => [attempt, errorCode])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, "line_500"]),
    );
    await stack.admin.retryDelivery({ deliveryId }, callOf(clientId));
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", attempts: 1 });
    await expect(stack.admin.retryDelivery({ deliveryId }, callOf(clientId))).rejects.toMatchObject({
      code: "contract_violation",
    });
  });
});

describe("a connection lost after the provider's acceptance", () => {
  const identifiers: Record<Channel, string> = {
    email: "message-id",
    fcm: "",
    apns: "apns-id",
    line: "x-line-retry-key",
    web_push: "topic",
  };
  it.each(["email", "fcm", "apns", "line", "web_push"] as const)(
    "%s: repeats the delivery with the same identifier",
    async (channel) => {
      const { delivery, received, deliveryId } = await sendInto(channel, { drop: "after" });
      expect(delivery).toMatchObject({ status: "sent", attempts: 2 });
      expect(received).toHaveLength(2);
      const named = received.map((message) =>
        channel === "fcm" ? message.parsed.message.data.delivery_id : message.headers[identifiers[channel]],
      );
      expect(named[0]).toBe(named[1]);
      expect(String(named[0]).replaceAll("-", "")).toContain(deliveryId.replaceAll("-", ""));
    },
  );

  it("treats LINE's response 409 to a repeated message as success", async () => {
    const { received } = await sendInto("line", { drop: "after" });
    expect(received.map(({ answered_status }) => answered_status)).toEqual([200, 409]);
  });
});

describe("a verification push", () => {
  it.each([
    ["fcm", "unregistered"],
    ["apns", "bad_device_token"],
    ["web_push", "gone"],
  ] as const)(
    "%s: fails the verification of a dead address, and starts again when the address is registered again",
    async (channel, kind) => {
      const { clientId } = await prepareClient(stack, channel);
      const address = addressOf(stack, channel);
      const to = sinkNameOf(channel, address);
      stack.sink.setFault({ channel, to, kind });
      const register = async () =>
        (await stack.endpoints.registerDeliveryEndpoint({ channel, identifier: address }, callOf(clientId))).endpoint;
      const endpointId = (await register())?.id ?? "";
      await stack.sink.messages({ channel, to, waitMs: 10_000 });
      await eventually(async () => {
        const { endpoint } = await stack.endpoints.getDeliveryEndpoint({ endpointId }, callOf(clientId));
        return endpoint?.status === "verification_failed";
      });
      expect(await register()).toMatchObject({ id: endpointId, status: "pending" });
      const token = await tokenThatArrived(stack, channel, address, 1);
      const verified = await stack.endpoints.verifyDeliveryEndpoint({ endpointId, token }, callOf(clientId));
      expect(verified.endpoint).toMatchObject({ status: "verified" });
    },
  );
});

import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { apnsRenewMs } from "../src/providers/apns-token.ts";
import { staleTokenWaitMsMax } from "../src/providers/http-answer.ts";
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
beforeEach(() => stack.sink.clearFaults());
afterAll(() => stack.close());

/** Refusals of a token that was valid when it was created: another one is accepted. */
const staleTokens = [
  ["apns", "expired_provider_token", "apns_expired_provider_token"],
  ["fcm", "unauthenticated", "fcm_unauthenticated"],
] as const;
/** Refusals that other tokens of the same credentials may receive as well. */
const wrongTokens = [
  ["apns", "invalid_provider_token", "apns_invalid_provider_token"],
  ["web_push", "unauthorized", "web_push_401"],
  ["web_push", "forbidden", "web_push_403"],
] as const;

async function prepare(channel: Channel) {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const { endpointId, address } = await verifiedEndpoint(stack, channel, clientId);
  const to = sinkNameOf(channel, address);
  const before = (await stack.sink.messages({ channel, to })).length;
  return {
    to,
    clientId,
    begin: () => send(stack, channel, { clientId, profileId, endpointId }),
    push: async () => finished(stack, clientId, await send(stack, channel, { clientId, profileId, endpointId })),
    /** The provider tokens of all pushes after the verification push. */
    tokens: async () =>
      (await stack.sink.messages({ channel, to })).slice(before).map(({ headers }) => headers.authorization),
  };
}

describe("a provider token that the provider rejects", () => {
  it.each([...staleTokens, ...wrongTokens])(
    "%s %s: renews the token once, and sends the message in the same attempt",
    async (channel, kind) => {
      const { to, push, tokens } = await prepare(channel);
      stack.sink.setFault({ channel, to, kind });
      expect(await push()).toEqual({ status: "sent", attempts: 1, providerStatus: "accepted", lastErrorCode: null });
      expect(await push()).toMatchObject({ status: "sent" });
      const [refused, renewed, later] = await tokens();
      expect(renewed).not.toBe(refused);
      expect(later).toBe(renewed);
    },
  );

  it.each(wrongTokens)(
    "%s %s: does not renew the token again if the renewed one is rejected as well",
    async (channel, kind, errorCode) => {
      const { to, push, tokens } = await prepare(channel);
      stack.sink.setFault({ channel, to, kind, times: 10 });
      const failed = { status: "failed", attempts: 1, providerStatus: "rejected", lastErrorCode: errorCode };
      expect(await push()).toEqual(failed);
      expect(await push()).toEqual(failed);
      const sent = await tokens();
      expect(sent).toHaveLength(3);
      expect(new Set(sent).size).toBe(2);
    },
  );

  it.each(staleTokens)(
    "%s %s: sends the message later if the renewed token is rejected before another may be created",
    async (channel, kind, errorCode) => {
      const { to, push, begin, tokens, clientId } = await prepare(channel);
      stack.sink.setFault({ channel, to, kind });
      expect(await push()).toMatchObject({ status: "sent", attempts: 1 });
      stack.sink.setFault({ channel, to, kind });
      const deliveryId = await begin();
      const waiting = await eventually(async () => {
        const { delivery } = await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId));
        return delivery?.lastErrorCode === errorCode ? delivery : null;
      });
      expect(waiting).toMatchObject({ status: "pending", providerStatus: "unavailable", attempts: 1 });
      stack.advance(180_000);
      expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent", attempts: 2 });
      const [, renewed, refused, later] = await tokens();
      expect([refused, later]).toEqual([renewed, renewed]);
    },
  );

  it("apns: a message outlasts the pause between two renewals, however long its token is rejected", () => {
    // A message is tried eight times.
    expect(7 * staleTokenWaitMsMax).toBeGreaterThanOrEqual(apnsRenewMs);
  });
});

it("fcm: sends the message once the token endpoint accepts the assertion's time again", async () => {
  stack.sink.setFault({
    channel: "fcm",
    stage: "token",
    status: 400,
    body: {
      error: "invalid_grant",
      error_description:
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
    },
    times: 2,
  });
  const { push } = await prepare("fcm");
  expect(await push()).toMatchObject({ status: "sent" });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addressOf,
  callOf,
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
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

describe("a delivery through each channel", () => {
  it.each(["email", "fcm", "apns", "line", "web_push"] as const)(
    "%s: sends the rendered template to a verified, consenting endpoint",
    async (channel) => {
      const { clientId, profileId } = await prepareClient(stack, channel);
      const { endpointId, address } = await verifiedEndpoint(stack, channel, clientId);
      const deliveryId = await send(stack, channel, { clientId, profileId, endpointId });
      expect(await finished(stack, clientId, deliveryId)).toEqual({
        status: "sent",
        attempts: 1,
        providerStatus: "accepted",
        lastErrorCode: null,
      });
      const messages = await stack.sink.messages({ channel, to: sinkNameOf(channel, address) });
      const last = JSON.stringify(messages.at(-1)?.parsed);
      expect(last).toContain("Order 7");
      expect(last).toContain("order 7 left.");
    },
  );
});

describe("verification of a channel endpoint", () => {
  it.each(["fcm", "apns", "web_push"] as const)(
    "%s: delivers the verification token through the channel and accepts it once",
    async (channel) => {
      const { clientId } = await prepareClient(stack, channel);
      const address = addressOf(stack, channel);
      const { endpoint } = await stack.endpoints.registerDeliveryEndpoint(
        { channel, identifier: address },
        callOf(clientId),
      );
      expect(endpoint).toMatchObject({ channel, status: "pending", consents: [] });
      expect(endpoint?.verifiedAt).toBeUndefined();
      const token = await tokenThatArrived(stack, channel, address);
      const verify = () =>
        stack.endpoints.verifyDeliveryEndpoint({ endpointId: endpoint?.id ?? "", token }, callOf(clientId));
      expect((await verify()).endpoint).toMatchObject({ id: endpoint?.id, status: "verified" });
      await expect(verify()).rejects.toMatchObject({ code: "verification_token_invalid" });
    },
  );
});

import type { StoredDocument } from "@platform/kit/store/documents";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { createPlatformFacts } from "@platform/operator-plane/platform-events";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { revoke } from "../src/domain/endpoint.ts";
import { createEndpointStore } from "../src/store/endpoints.ts";
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
let connection: MongoConnection;
beforeAll(async () => {
  stack = await startNotifyStack();
  connection = await connectMongo({ uri: stack.mongo.uri, database: stack.mongo.database });
});
afterAll(async () => {
  await connection.close();
  await stack.close();
});

type Ids = { clientId: string; profileId: string; endpointId: string };

/** Queues ten messages to one endpoint while no worker runs, and then changes the endpoint. */
async function queuedThen(act: (ids: Ids) => Promise<unknown>) {
  const { clientId, profileId } = await prepareClient(stack, "line");
  const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
  const ids = { clientId, profileId, endpointId };
  const deliveryIds = await Promise.all(Array.from({ length: 10 }, () => send(stack, "line", ids)));
  await act(ids);
  return { clientId, deliveryIds, address };
}

describe("a queued delivery that may no longer be sent", () => {
  it("sends nothing after consent was withdrawn or the endpoint revoked or linked again", async () => {
    const revoke = ({ endpointId, clientId }: Ids) =>
      stack.endpoints.revokeDeliveryEndpoint({ endpointId }, callOf(clientId));
    const withdrawn = await queuedThen(({ endpointId, clientId }) =>
      stack.endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: false }, callOf(clientId)),
    );
    const revoked = await queuedThen(revoke);
    const linkedAgain = await queuedThen(revoke);
    await stack.admin.linkLineEndpoint(
      { projectClientId: linkedAgain.clientId, userId: linkedAgain.address },
      callOf(linkedAgain.clientId),
    );
    const untouched = await queuedThen(async () => {});

    const worker = await stack.startWorker();
    const outcomesOf = async ({ clientId, deliveryIds }: typeof untouched) => {
      const deliveries = await Promise.all(deliveryIds.map((id) => finished(stack, clientId, id)));
      return new Set(deliveries.map(({ status, attempts, lastErrorCode }) => `${status} ${attempts} ${lastErrorCode}`));
    };
    expect(await outcomesOf(withdrawn)).toEqual(new Set(["failed 0 consent_withdrawn"]));
    expect(await outcomesOf(revoked)).toEqual(new Set(["failed 0 delivery_endpoint_revoked"]));
    expect(await outcomesOf(linkedAgain)).toEqual(new Set(["failed 0 delivery_endpoint_revoked"]));
    expect(await outcomesOf(untouched)).toEqual(new Set(["sent 1 null"]));
    const arrived = await stack.sink.messages({ channel: "line" });
    expect(arrived).toHaveLength(10);
    expect(new Set(arrived.map(({ to }) => to))).toEqual(new Set([untouched.address]));
    await worker.close();
  });
});

const byPlatform = { by: "platform", correlationId: null } as const;

/**
 * Revokes an endpoint of any channel. Email endpoints have no operation for this, so the test calls the store, as
 * every revocation does in the end.
 */
async function revokeEndpoint({ endpointId, clientId }: Ids): Promise<void> {
  const store = createEndpointStore(connection, createPlatformFacts());
  const changed = await store.change(clientId, endpointId, (current) => revoke(current), byPlatform, new Date());
  expect(changed?.endpoint.status).toBe("revoked");
}

/** Sets the time at which the client's pending deliveries are due. */
const postpone = (clientId: string, dueAt: Date) =>
  connection
    .collection("deliveries")
    .updateMany({ project_client_id: clientId, status: "pending" }, { $set: { due_at: dueAt } });
const deliveryOf = (id: string) => connection.collection<StoredDocument>("deliveries").findOne({ _id: id });
const tomorrow = () => new Date(Date.now() + 86_400_000);

/** Lets the next owner of the address register it, verify it and consent to `orders`. */
async function proveAgain(channel: Channel, { clientId, endpointId }: Ids, address: string): Promise<void> {
  if (channel === "email" || channel === "line") {
    expect((await verifiedEndpoint(stack, channel, clientId, address)).endpointId).toBe(endpointId);
    return;
  }
  await stack.endpoints.registerDeliveryEndpoint({ channel, identifier: address }, callOf(clientId));
  // The sink has already received the earlier owner's token and the attempt that failed, so the new token is in the
  // third message.
  const token = await tokenThatArrived(stack, channel, address, 2);
  await stack.endpoints.verifyDeliveryEndpoint({ endpointId, token }, callOf(clientId));
  await stack.endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: true }, callOf(clientId));
}

describe("an address verified again after its endpoint was revoked", () => {
  it.each(["email", "fcm", "apns", "line", "web_push"] as const)(
    "%s: sends nothing that was queued for the earlier owner, even with every consent granted",
    async (channel) => {
      const worker = await stack.startWorker({ DELIVERY_RETRY_BASE_MS: "600000" });
      const { clientId, profileId } = await prepareClient(stack, channel);
      const { endpointId, address } = await verifiedEndpoint(stack, channel, clientId);
      const ids = { clientId, profileId, endpointId };
      stack.sink.setFault({ channel, status: channel === "email" ? 451 : 503, times: 1 });
      const earlier = await send(stack, channel, ids);
      await eventually(async () => (await deliveryOf(earlier))?.provider_status != null, { what: "a first try" });
      await revokeEndpoint(ids);
      await proveAgain(channel, ids, address);

      const later = await send(stack, channel, ids);
      expect(await finished(stack, clientId, later)).toMatchObject({ status: "sent" });
      await postpone(clientId, new Date());
      expect(await finished(stack, clientId, earlier)).toMatchObject({
        status: "failed",
        lastErrorCode: "delivery_endpoint_revoked",
      });
      const taken = (await stack.sink.messages({ channel, to: sinkNameOf(channel, address) })).filter(
        ({ answered_status: status }) => status !== null && status < 300,
      );
      expect(JSON.stringify(taken)).not.toContain(earlier);
      await worker.close();
    },
  );

  it("does not send the verification push of an earlier holder", async () => {
    const { clientId } = await prepareClient(stack, "fcm");
    const identifier = addressOf(stack, "fcm");
    const register = () => stack.endpoints.registerDeliveryEndpoint({ channel: "fcm", identifier }, callOf(clientId));
    const endpointId = (await register()).endpoint?.id ?? "";
    await postpone(clientId, tomorrow());
    await stack.endpoints.revokeDeliveryEndpoint({ endpointId }, callOf(clientId));
    await register();
    await stack.startWorker();
    await tokenThatArrived(stack, "fcm", identifier);
    await postpone(clientId, new Date());
    const pushes = () =>
      connection.collection("deliveries").find({ project_client_id: clientId }).sort({ created_at: 1 }).toArray();
    await eventually(async () => (await pushes()).every(({ status }) => status === "sent" || status === "failed"));
    expect((await pushes()).map(({ status, last_error_code }) => [status, last_error_code])).toEqual([
      ["failed", "delivery_endpoint_revoked"],
      ["sent", null],
    ]);
    expect(await stack.sink.messages({ channel: "fcm", to: identifier })).toHaveLength(1);
  });
});

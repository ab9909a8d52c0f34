import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

const hourMs = 3_600_000;
let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let identity: Awaited<ReturnType<typeof startTestIdentity>>;
let stack: NotifyStack;
beforeAll(async () => {
  mongo = await startTestMongo();
  redis = await startTestRedis();
  identity = await startTestIdentity(mongo, redis.url);
  stack = await startNotifyStack({ env: { REDIS_URL: redis.url, IDENTITY_GRPC: identity.address } });
});
afterAll(async () => {
  await stack.close();
  await identity.close();
  await redis.close();
  await mongo.close();
});

/** A client that can send email, and one of its addresses. */
async function mailingClient() {
  const { clientId, profileId } = await prepareClient(stack, "email", {}, await identity.createClient());
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
  return { clientId, address, ids: { clientId, profileId, endpointId } };
}

const stateOf = async (clientId: string, deliveryId: string) => {
  const { delivery } = await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId));
  return { status: delivery?.status, attempts: delivery?.attempts, lastErrorCode: delivery?.lastErrorCode };
};

describe("the deliveries of a disabled Project Client", () => {
  it("postpones a disabled client's deliveries without an attempt, and sends them within a second of enabling it", async () => {
    const disabled = await mailingClient();
    const other = await mailingClient();
    const waiting = await send(stack, "email", disabled.ids);
    await identity.disableClient(disabled.clientId);
    const worker = await stack.startWorker();
    const passing = await send(stack, "email", other.ids);
    expect((await finished(stack, other.clientId, passing)).status).toBe("sent");
    expect(await stateOf(disabled.clientId, waiting)).toMatchObject({ status: "pending", attempts: 0 });
    expect(await stack.sink.messages({ channel: "email", to: disabled.address })).toEqual([]);
    await identity.enableClient(disabled.clientId);
    await stack.sink.messages({ channel: "email", to: disabled.address, count: 1, waitMs: 2_000 });
    expect(await finished(stack, disabled.clientId, waiting)).toMatchObject({ status: "sent", attempts: 1 });
    await worker.close();
  });

  it("stops deliveries of a client within a second of disabling it", async () => {
    const { clientId, address, ids } = await mailingClient();
    const worker = await stack.startWorker();
    await identity.disableClient(clientId);
    // Sends deliveries one after the other until one is not sent, which shows that the worker knows of the change.
    let sent = 0;
    await eventually(
      async () => {
        const deliveryId = await send(stack, "email", ids);
        const arrived = await stack.sink.messages({ channel: "email", to: address, count: sent + 1, waitMs: 300 });
        if (arrived.length === sent) return (await stateOf(clientId, deliveryId)).status === "pending";
        sent = arrived.length;
        return false;
      },
      { timeoutMs: 3_000 },
    );
    await worker.close();
  });

  it("stops deliveries at two workers within ten seconds if Redis loses the announcement, and sends them later", async () => {
    const disabled = await mailingClient();
    const other = await mailingClient();
    const workers = [await stack.startWorker(), await stack.startWorker()];
    const sendMany = (ids: typeof disabled.ids) =>
      Promise.all(Array.from({ length: 8 }, () => send(stack, "email", ids)));
    await redis.kill();
    await identity.disableClient(disabled.clientId);
    let held: string[] = [];
    await eventually(
      async () => {
        held = await sendMany(disabled.ids);
        // Deliveries of another client that were accepted later have been sent.
        for (const id of await sendMany(other.ids)) await finished(stack, other.clientId, id);
        const states = await Promise.all(held.map((id) => stateOf(disabled.clientId, id)));
        return states.every(({ status, attempts }) => status === "pending" && attempts === 0);
      },
      { what: "every delivery held back" },
    );
    await redis.start();
    await eventually(() => identity.createClient(), { what: "identity-svc on Redis again" });
    await identity.enableClient(disabled.clientId);
    for (const id of held) expect(await finished(stack, disabled.clientId, id)).toMatchObject({ status: "sent" });
    await Promise.all(workers.map((worker) => worker.close()));
  });

  it("fails deliveries with client_disabled after 24 hours", async () => {
    const { clientId, address, ids } = await mailingClient();
    const waiting = await send(stack, "email", ids);
    await identity.disableClient(clientId);
    const worker = await stack.startWorker();
    stack.advance(23 * hourMs);
    const other = await mailingClient();
    await finished(stack, other.clientId, await send(stack, "email", other.ids));
    expect((await stateOf(clientId, waiting)).status).toBe("pending");
    stack.advance(1 * hourMs + 1_000);
    expect(await finished(stack, clientId, waiting)).toMatchObject({
      status: "failed",
      attempts: 0,
      lastErrorCode: "client_disabled",
    });
    await identity.enableClient(clientId);
    await finished(stack, other.clientId, await send(stack, "email", other.ids));
    expect(await stack.sink.messages({ channel: "email", to: address })).toEqual([]);
    await worker.close();
  });
});

import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOf, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
let mongo: MongoClient;
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
});
afterAll(async () => {
  await mongo.close();
  await stack.close();
});

const deliveries = () => mongo.db(stack.mongo.database).collection("deliveries");
const since = { seconds: 0n, nanos: 0 };

/** A client with `count` failed deliveries to one address. */
async function clientWithFailures(count: number) {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
  for (let at = 0; at < count; at += 1) await send(stack, "email", { clientId, profileId, endpointId });
  const failed = { status: "failed", last_error_code: "smtp_550", finished_at: new Date() };
  await deliveries().updateMany({ project_client_id: clientId }, { $set: failed });
  return { clientId, address };
}

const retry = (projectClientId: string, more: { dryRun?: boolean; limit?: number; cursor?: string } = {}) =>
  stack.deliveryAdmin.retryDeliveries(
    { filter: { projectClientId, status: "failed", since }, ...more },
    callOf(projectClientId),
  );

describe("retrying many failed deliveries", () => {
  it("counts the deliveries without changing anything in a dry run", async () => {
    const { clientId } = await clientWithFailures(3);
    expect(await retry(clientId, { dryRun: true })).toMatchObject({ matched: 3, retried: 0, skipped: 0 });
    expect(await deliveries().countDocuments({ project_client_id: clientId, status: "failed" })).toBe(3);
  });

  it("continues after a batch and sends each delivery once", async () => {
    const { clientId, address } = await clientWithFailures(5);
    const first = await retry(clientId, { limit: 2 });
    expect(first).toMatchObject({ matched: 2, retried: 2, skipped: 0 });
    // The test assumes that the response was lost, so it requests the same batch again, and then the rest.
    expect(await retry(clientId, { limit: 200, cursor: first.nextCursor })).toMatchObject({ matched: 3, retried: 3 });
    expect(await retry(clientId)).toMatchObject({ matched: 0, retried: 0, nextCursor: "" });
    const worker = await stack.startWorker();
    await eventually(
      async () => (await deliveries().countDocuments({ project_client_id: clientId, status: "sent" })) === 5,
    );
    expect(await stack.sink.messages({ channel: "email", to: address })).toHaveLength(5);
    await worker.close();
  });

  it("retries each delivery once when two operators retry at the same time", async () => {
    const { clientId } = await clientWithFailures(6);
    const answers = await Promise.all([retry(clientId), retry(clientId), retry(clientId)]);
    expect(answers.reduce((sum, { retried }) => sum + retried, 0)).toBe(6);
  });

  it("skips deliveries that cannot be sent any more, even in a dry run", async () => {
    const { clientId } = await clientWithFailures(2);
    await deliveries().updateOne({ project_client_id: clientId }, { $set: { content: null } });
    expect(await retry(clientId, { dryRun: true })).toMatchObject({ matched: 2, retried: 0, skipped: 1 });
    expect(await retry(clientId)).toMatchObject({ matched: 2, retried: 1, skipped: 1 });
  });

  it("refuses a retry without a start time or of deliveries that did not fail", async () => {
    const { clientId } = await prepareClient(stack, "email");
    const asked = (filter: object) =>
      stack.deliveryAdmin.retryDeliveries({ filter: { projectClientId: clientId, ...filter } }, callOf(clientId));
    await expect(asked({ status: "failed" })).rejects.toMatchObject({ code: "contract_violation" });
    await expect(asked({ status: "sent", since })).rejects.toMatchObject({ code: "contract_violation" });
  });
});

import { newId } from "@platform/kit/process/secrets";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callFor, operatorCall, startTestMongo, startTestServer } from "./fixture.ts";

let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let server: Awaited<ReturnType<typeof startTestServer>>;
beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestServer(mongo);
});
afterAll(async () => {
  await server.close();
  await mongo.close();
});
beforeEach(() => mongo.fail({ command: "", code: 0, message: "", times: 0 }));

const event = { type: "order.placed", schemaVersion: 1, dataJson: "{}" };
const audit = { actorId: "a", action: "done", resourceType: "r", resourceId: "1", outcome: "succeeded" };
const schedule = { name: "nightly", url: "https://example.com/hook", secret: "s".repeat(32) };
const writes = [
  ["an event", (key: string, clientId: string) => server.events.publishDomainEvent(event, callFor(clientId, { key }))],
  ["an audit", (key: string, clientId: string) => server.audits.createProjectAudit(audit, callFor(clientId, { key }))],
  [
    "a scheduled operation",
    (key: string, clientId: string) =>
      server.schedules.registerScheduledOperation(schedule, callFor(clientId, { key })),
  ],
] as const;

describe.each(writes)("%s", (_what, write) => {
  test.each([
    [1, "deadlock detected"],
    [112, "WriteConflict"],
    [251, ""],
  ])(
    "returns dependency_unavailable while the store fails with code %i, and creates one document when it is repeated",
    async (code, message) => {
      const clientId = newId();
      mongo.fail({ command: "insert", code, message, times: 1_000 });
      await expect(write("key", clientId)).rejects.toMatchObject({
        code: "dependency_unavailable",
        retryAfterSeconds: 1,
      });
      mongo.fail({ command: "insert", code, message, times: 1 });
      expect(await write("key", clientId)).toMatchObject({ replayed: false });
      expect(await write("key", clientId)).toMatchObject({ replayed: true });
    },
  );

  test("stores one document for thirty concurrent first uses while the store fails some of them", async () => {
    const clientId = newId();
    mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1, isDone: true });
    const replies = await Promise.all(Array.from({ length: 30 }, () => write("key", clientId)));
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(mongo.failures()).toBe(1);
  });
});

describe("an operator's change of a subscription", () => {
  const abandonOneUpdateOfRuns = (): void =>
    mongo.fail({
      command: "update",
      collection: "scheduled_runs",
      code: 0x1_02_00_04,
      message: "deadlock detected",
      times: 1,
    });
  const subscribe = async (): Promise<string> => {
    const { id: operationId } = await server.schedules.registerScheduledOperation(schedule, callFor(newId()));
    const { subscription } = await server.subscriptions.createSubscription(
      { operationId, types: ["*"], order: "none" },
      operatorCall(),
    );
    return subscription?.id ?? "";
  };

  test("deletes a subscription although the store abandons a write in favor of a worker", async () => {
    const subscriptionId = await subscribe();
    abandonOneUpdateOfRuns();
    await server.subscriptions.deleteSubscription({ subscriptionId }, operatorCall());
    expect(mongo.failures()).toBe(1);
  });

  test("resumes a subscription although the store abandons a write in favor of a worker", async () => {
    const subscriptionId = await subscribe();
    await server.subscriptions.pauseSubscription({ subscriptionId }, operatorCall());
    abandonOneUpdateOfRuns();
    await server.subscriptions.resumeSubscription({ subscriptionId }, operatorCall());
    expect(mongo.failures()).toBe(1);
  });
});

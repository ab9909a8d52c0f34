import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import type { StoredDocument } from "@platform/kit/store/documents";
import { RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOf, type NotifyStack, startNotifyStack } from "./notify-stack.ts";

const dayMs = 86_400_000;
let stack: NotifyStack;
let mongo: MongoClient;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
  operator = connectGrpc({
    address: `127.0.0.1:${stack.server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${stack.env.OPERATOR_TOKEN}`, "x-operator-reason": "test" },
  });
});
afterAll(async () => {
  operator.close();
  await mongo.close();
  await stack.close();
});

const admin = () => operator.service(RetentionAdminService);
const deliveries = () => mongo.db(stack.mongo.database).collection<StoredDocument>("deliveries");

/** Deliveries that ended the given number of days ago, as they are stored. */
async function store(clientId: string, daysAgo: readonly number[], status: "sent" | "failed" | "pending") {
  await deliveries().insertMany(
    daysAgo.map((days) => {
      const at = new Date(Date.now() - days * dayMs);
      return {
        _id: newId(),
        project_client_id: clientId,
        kind: "intent",
        idempotency_key: newId(),
        channel: "email",
        sender_profile_id: newId(),
        endpoint_id: newId(),
        status,
        // The due time is far in the future, so that no worker claims the delivery.
        due_at: new Date(Date.now() + dayMs),
        give_up_at: new Date(Date.now() + 2 * dayMs),
        lane: `email ${clientId} p`,
        content: status === "sent" ? null : { subject: "s", text: "t", html: null },
        attempt_log: [],
        attempts: 0,
        last_error_code: null,
        created_at: at,
        finished_at: status === "pending" ? null : at,
        days,
      };
    }),
  );
}
const left = async (clientId: string) =>
  (await deliveries().find({ project_client_id: clientId }).sort({ days: 1 }).toArray()).map(({ days, content }) => [
    days,
    content !== null,
  ]);

describe("the retention of deliveries", () => {
  it("erases contents after 30 days and finished deliveries after 180, in batches", async () => {
    const clientId = newId();
    await store(clientId, [1, 29, 31, 179, 181], "failed");
    await store(clientId, [500], "pending");
    const crowd = newId();
    await store(
      crowd,
      Array.from({ length: 1_100 }, () => 200),
      "sent",
    );
    const worker = await stack.startWorker();
    await eventually(async () => (await left(clientId)).length === 5 && (await left(crowd)).length === 0);
    await worker.close();
    expect(await left(clientId)).toEqual([
      [1, true],
      [29, true],
      [31, false],
      [179, false],
      [500, true],
    ]);
  });

  it("applies a client's own setting only to that client", async () => {
    const [own, other] = [newId(), newId()];
    await admin().setRetention({ projectClientId: own, kind: "deliveries", days: 10 }, callOf(own));
    await store(own, [5, 15], "sent");
    await store(other, [5, 15], "sent");
    const worker = await stack.startWorker();
    await eventually(async () => (await left(own)).length === 1);
    await worker.close();
    expect((await left(own)).map(([days]) => days)).toEqual([5]);
    expect(await left(other)).toHaveLength(2);
    const { retentions } = await admin().showRetention({ projectClientId: own }, callOf(own));
    expect(retentions).toMatchObject([
      { kind: "delivery_contents", days: 30, isDefault: true },
      { kind: "deliveries", days: 10, isDefault: false },
    ]);
  });

  it("refuses a retention setting of an unknown kind or of zero days", async () => {
    const projectClientId = newId();
    for (const request of [
      { projectClientId, kind: "audits", days: 5 },
      { projectClientId, kind: "deliveries", days: 0 },
      { projectClientId, kind: "deliveries", days: 3_651 },
    ]) {
      await expect(admin().setRetention(request, callOf(projectClientId))).rejects.toMatchObject({
        code: "contract_violation",
      });
    }
  });
});

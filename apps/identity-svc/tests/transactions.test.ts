import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeTransaction, refusal, statusOf } from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

const daySeconds = 24 * 60 * 60;

function create(
  clientId: string,
  options: { key?: string; fingerprint?: string; inSeconds?: number; asserted?: string } = {},
) {
  const expiresAt = new Date(identity.clock.now().getTime() + (options.inSeconds ?? daySeconds) * 1000);
  return identity.migration.createIdentityMigrationTransaction(
    {
      projectClientId: options.asserted ?? clientId,
      legacySubject: "legacy-1",
      email: "Person@Example.com",
      locale: "en",
      correlationId: randomUUID(),
      expiresAt: timestampFromDate(expiresAt),
    },
    callAs(clientId, options.key ?? randomUUID(), options.fingerprint),
  );
}

describe("creating a transaction", () => {
  test("returns a created transaction as pending, with a flow_token", async () => {
    const clientId = await makeClient(identity);
    const reply = await create(clientId);
    expect(reply.replayed).toBe(false);
    expect(reply.flowToken).toMatch(/^[0-9a-f]{64}$/);
    expect(reply.transaction).toMatchObject({
      projectClientId: clientId,
      legacySubject: "legacy-1",
      email: "Person@Example.com",
      status: "pending",
      accountId: "",
    });
  });

  test("returns the same flow_token for a repeated create, even after expires_at", async () => {
    const clientId = await makeClient(identity);
    const first = await create(clientId, { key: "k", inSeconds: 30 });
    identity.clock.advanceSeconds(60);
    const again = await create(clientId, { key: "k", inSeconds: -30 });
    expect(again).toMatchObject({ replayed: true, flowToken: first.flowToken });
    expect(again.transaction?.id).toBe(first.transaction?.id);
    expect(again.transaction?.status).toBe("expired");
  });

  test("creates one transaction for 30 concurrent requests with one key", async () => {
    const clientId = await makeClient(identity);
    const replies = await Promise.all(Array.from({ length: 30 }, () => create(clientId, { key: "at-once" })));
    expect(new Set(replies.map((reply) => `${reply.transaction?.id} ${reply.flowToken}`)).size).toBe(1);
    expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
  });

  test("refuses a used key with another body, and accepts it from another client", async () => {
    const clientId = await makeClient(identity);
    await create(clientId, { key: "mine" });
    expect(await refusal(create(clientId, { key: "mine", fingerprint: "0".repeat(64) }))).toBe(
      "idempotency_key_reused",
    );
    expect(await refusal(create(await makeClient(identity), { key: "mine" }))).toBe("let in");
  });

  test("refuses to create a transaction for another Project Client", async () => {
    const clientId = await makeClient(identity);
    expect(await refusal(create(clientId, { asserted: await makeClient(identity) }))).toBe("project_client_mismatch");
  });

  test.each([
    ["in the past", -1],
    ["now", 0],
    ["more than 7 days ahead", 7 * daySeconds + 1],
  ])("refuses an expires_at that is %s, with a violation at /expires_at", async (_when, inSeconds) => {
    const clientId = await makeClient(identity);
    await expect(create(clientId, { inSeconds })).rejects.toMatchObject({
      code: "contract_violation",
      details: { violations: [{ path: "/expires_at" }] },
    });
  });
});

test("treats another Project Client's transaction like one that does not exist", async () => {
  const transaction = await makeTransaction(identity);
  const stranger = await makeClient(identity);
  const answers = await Promise.all(
    [transaction.id, randomUUID()].map((id) =>
      identity.migration.getIdentityMigrationTransaction({ transactionId: id }, callAs(stranger)).then(
        () => "found",
        (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
      ),
    ),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^identity_migration_transaction_not_found: /);
});

test("reports a transaction as expired once its time has passed, without any write", async () => {
  const transaction = await makeTransaction(identity, { expiresInSeconds: 10 });
  expect(await statusOf(identity, transaction)).toBe("pending");
  identity.clock.advanceSeconds(10);
  expect(await statusOf(identity, transaction)).toBe("expired");
});

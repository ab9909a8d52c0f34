import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnStack, post, postUntilMetered, postUntilSettled, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
let mongo: MongoClient;
beforeAll(async () => {
  own = await startOwnStack();
  mongo = await MongoClient.connect(own.stack.mongodbUri);
});
afterAll(async () => {
  await mongo?.close();
  await own?.close();
});

const event = (n: number) => ({ type: "test.happened", schema_version: 1, data: { n } });
const audit = (n: number) => ({
  actor_id: `user-${n}`,
  action: "test.done",
  resource_type: "test",
  resource_id: `${n}`,
  outcome: "succeeded",
});
const countEvents = (clientId: string) =>
  mongo.db(own.stack.databaseOf("events")).collection("domain_events").countDocuments({ project_client_id: clientId });

describe("hard quota", () => {
  test("passes exactly 100 of 1,000 concurrent requests over two gateways at a limit of 100", async () => {
    const client = await own.newClient();
    await own.ctl(["quotas", "set", "--client", client.id, "--resource", "events", "--limit", "100"]);
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        postUntilMetered(own.gateways[n % 2] ?? "", "/domain-events", client.credential, randomUUID(), event(n)),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome?.status === 429);
    const others = outcomes.filter((outcome) => outcome?.status !== 200 && outcome?.status !== 429);
    expect(others).toEqual([]);
    expect(outcomes.filter((outcome) => outcome?.status === 200)).toHaveLength(100);
    expect(refused).toHaveLength(900);
    for (const outcome of refused) {
      expect(outcome?.json.error).toMatchObject({
        code: "platform_quota_exceeded",
        retryable: true,
        details: { resource: "events", used: 100, limit: 100, retry_after_seconds: expect.any(Number) },
      });
    }
    expect(await countEvents(client.id)).toBe(100);
  });
});

describe("idempotency", () => {
  test("publishes exactly one event for 1,000 concurrent duplicates over two gateways, one of them killed", async () => {
    const client = await own.newClient();
    const key = randomUUID();
    const body = event(1);
    let answered = 0;
    const requests = Array.from({ length: 1_000 }, async (_, n) => {
      const outcome = await post(own.gateways[n % 2] ?? "", "/domain-events", client.credential, key, body);
      answered += 1;
      return outcome;
    });
    const killed = eventually(() => answered >= 1).then(() => own.stack.kill("gateway-2", "SIGKILL"));
    const outcomes = await Promise.all(requests);
    await killed;
    await own.stack.start("gateway-2");
    const ids = new Set(outcomes.filter((outcome) => outcome?.status === 200).map((outcome) => outcome?.json.data.id));
    expect(ids.size).toBe(1);
    const unexpected = outcomes.filter(
      (outcome) => outcome !== null && outcome.status !== 200 && outcome.json.error.retryable !== true,
    );
    expect(unexpected).toEqual([]);
    const last = await postUntilSettled(own.gateways, "/domain-events", client.credential, key, body);
    expect(ids.has(last.json.data.id)).toBe(true);
    expect(await countEvents(client.id)).toBe(1);
  });

  test("records exactly one audit per key while Redis is killed and restarted empty during retries", async () => {
    const client = await own.newClient();
    const keys = Array.from({ length: 200 }, () => randomUUID());
    const first = keys.map((key, n) =>
      postUntilSettled(own.gateways, "/project-audits", client.credential, key, audit(n)),
    );
    await Promise.race(first);
    await own.stack.kill("redis", "SIGKILL");
    await rm(`${own.stack.directory}/redis`, { recursive: true, force: true });
    await mkdir(`${own.stack.directory}/redis`, { recursive: true });
    await own.stack.start("redis");
    const outcomes = await Promise.all(first);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(keys.map(() => 201));
    const again = await Promise.all(
      keys.map((key, n) => postUntilSettled(own.gateways, "/project-audits", client.credential, key, audit(n))),
    );
    expect(again.map((outcome) => outcome.json.data.id)).toEqual(outcomes.map((outcome) => outcome.json.data.id));
    const rows = await own.ctl(["audits", "list", "--client", client.id]);
    expect(rows).toHaveLength(keys.length);
    expect(await own.ctl(["audits", "verify", "--client", client.id])).toEqual({ valid: true, length: keys.length });
  });

  test("loses and doubles no acknowledged event while a service is killed and restarted under load", async () => {
    const client = await own.newClient();
    const keys = Array.from({ length: 600 }, () => randomUUID());
    let done = 0;
    const requests = keys.map(async (key, n) => {
      const outcome = await postUntilSettled(own.gateways, "/domain-events", client.credential, key, event(n));
      done += 1;
      return outcome;
    });
    await eventually(() => done >= 20);
    await own.stack.kill("events-svc", "SIGKILL");
    await own.stack.start("events-svc");
    const outcomes = await Promise.all(requests);
    expect(outcomes.filter((outcome) => outcome.status !== 200)).toEqual([]);
    const ids = new Set(outcomes.map((outcome) => outcome.json.data.id));
    expect(ids.size).toBe(keys.length);
    const stored = await mongo
      .db(own.stack.databaseOf("events"))
      .collection("domain_events")
      .find({ project_client_id: client.id })
      .toArray();
    expect(stored.map((row) => String(row._id)).filter((id) => !ids.has(id))).toEqual([]);
    expect(stored).toHaveLength(keys.length);
  });
});

describe("revocation", () => {
  test("refuses a revoked credential on every gateway within a second", async () => {
    const client = await own.newClient();
    const ask = async (baseUrl: string) => {
      const response = await fetch(`${baseUrl}/api/v1/project-client`, {
        headers: { authorization: `Bearer ${client.credential}` },
      });
      return response.status;
    };
    expect(await Promise.all(own.gateways.map(ask))).toEqual([200, 200]);
    await own.ctl(["credentials", "revoke", "--credential-id", client.credentialId]);
    const isRefused = async () => (await Promise.all(own.gateways.map(ask))).every((status) => status === 401);
    await eventually(isRefused, { timeoutMs: 3_000, what: "the push drops the cached authentication" });
  });
});

import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnStack, post, postUntilSettled, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
let mongo: MongoClient;
let redis: Redis;
beforeAll(async () => {
  own = await startOwnStack({ DEADLINE_MS: "1500" });
  redis = new Redis(own.stack.redisUrl);
  mongo = await MongoClient.connect(own.stack.mongodbUri);
});
afterAll(async () => {
  redis?.disconnect();
  await mongo?.close();
  await own?.close();
});

const before = 8;
const limit = before + 5;
const event = (n: number) => ({ type: "test.happened", schema_version: 1, data: { n } });
const audit = (n: number) => ({
  actor_id: `user-${n}`,
  action: "test.done",
  resource_type: "test",
  resource_id: `${n}`,
  outcome: "succeeded",
});

/** One resource for each kind of quota: a quota with a time window, and a gauge. */
const cases = [
  { resource: "events", path: "/domain-events", collection: "domain_events", body: event, status: 200 },
  { resource: "audit_retention", path: "/project-audits", collection: "project_audits", body: audit, status: 201 },
] as const;

describe.each(cases)("lost responses of $path", ({ resource, path, collection, body, status }) => {
  test(`stores at most the limit of ${resource} and replays each first key without spending another unit`, async () => {
    const client = await own.newClient();
    const { credential } = client;
    await own.ctl(["quotas", "set", "--client", client.id, "--resource", resource, "--limit", `${limit}`]);
    const used = async (): Promise<number> => Number((await redis.get(`{${client.id}}:quota:${resource}`)) ?? 0);
    const stored = () =>
      mongo.db(own.stack.databaseOf("events")).collection(collection).countDocuments({ project_client_id: client.id });
    const send = (key: string, n: number) => post(own.gateways[n % 2] ?? "", path, credential, key, body(n));
    // Sends some requests through each gateway first, so that the gauge is known and the stream to each service is
    // open. A call that is not sent would have a clear outcome.
    for (let n = 0; n < before; n += 1) expect((await send(randomUUID(), n))?.status).toBe(status);

    const keys = Array.from({ length: 9 }, () => randomUUID());
    const lost: typeof keys = [];
    for (let round = 0; round < 3; round += 1) {
      await own.stack.kill("events-svc", "SIGSTOP");
      const outcomes = await Promise.all(
        keys.slice(round * 3, round * 3 + 3).map(async (key, n) => ({ key, outcome: await send(key, round * 3 + n) })),
      );
      await own.stack.kill("events-svc", "SIGCONT");
      for (const { key, outcome } of outcomes) {
        if (outcome?.status === 429) continue;
        expect([503, 504]).toContain(outcome?.status);
        lost.push(key);
      }
      expect(await used()).toBe(before + lost.length);
    }
    expect(lost).toHaveLength(limit - before);

    // The limit is reached, so repeated requests can only use the units that belong to their keys.
    expect((await send(randomUUID(), 1))?.status).toBe(429);
    const ids = new Map<string, string>();
    for (const key of lost) {
      const repeat = await postUntilSettled(own.gateways, path, credential, key, body(keys.indexOf(key)));
      expect(repeat.status).toBe(status);
      ids.set(key, repeat.json.data.id);
    }
    expect([await stored(), await used(), new Set(ids.values()).size]).toEqual([limit, limit, limit - before]);
    for (const key of lost) {
      const again = await send(key, keys.indexOf(key));
      expect({ status: again?.status, id: again?.json.data.id, isReplayed: again?.isReplayed }).toEqual({
        status,
        id: ids.get(key),
        isReplayed: true,
      });
    }
    expect([await stored(), await used()]).toEqual([limit, limit]);
  });
});

test("returns the unit when the service could not be called", async () => {
  const client = await own.newClient();
  const used = async (): Promise<number> => Number((await redis.get(`{${client.id}}:quota:events`)) ?? 0);
  await own.stack.kill("events-svc", "SIGKILL");
  const key = randomUUID();
  let refused = 0;
  // The first calls may have been sent on the broken connection, so their units stay reserved for their keys.
  while (refused < 3) {
    const before = await used();
    const outcome = await post(own.gateways[0], "/domain-events", client.credential, randomUUID(), event(1));
    expect([503, 504]).toContain(outcome?.status);
    if ((await used()) === before) refused += 1;
  }
  await own.stack.start("events-svc");
  const done = await postUntilSettled(own.gateways, "/domain-events", client.credential, key, event(1));
  expect(done.status).toBe(200);
});

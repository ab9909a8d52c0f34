import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
let mongo: MongoClient;
let redis: Redis;
beforeAll(async () => {
  // The deadline is so long that no call fails because of it, since the test is only about closed connections.
  own = await startOwnStack({ DEADLINE_MS: "30000" });
  redis = new Redis(own.stack.redisUrl);
  mongo = await MongoClient.connect(own.stack.mongodbUri);
});
afterAll(async () => {
  redis?.disconnect();
  await mongo?.close();
  await own?.close();
});

/** Sends a complete request on its own connection, and can close it without reading the response. */
async function sendAndHold(credential: string): Promise<{ hangUp(): void }> {
  const url = new URL(own.gateways[0]);
  const body = JSON.stringify({ type: "test.happened", schema_version: 1, data: {} });
  const socket = connect(Number(url.port), url.hostname);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.on("error", () => {});
  socket.write(
    [
      "POST /api/v1/domain-events HTTP/1.1",
      `Host: ${url.host}`,
      `Authorization: Bearer ${credential}`,
      `Idempotency-Key: ${randomUUID()}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  return { hangUp: () => socket.destroy() };
}

test("publishes no events beyond the quota of a caller that hangs up on every request", async () => {
  const limit = 5;
  const client = await own.newClient();
  await own.ctl(["quotas", "set", "--client", client.id, "--resource", "events", "--limit", `${limit}`]);
  const used = async (): Promise<number> => Number((await redis.get(`{${client.id}}:quota:events`)) ?? 0);
  const stored = () =>
    mongo
      .db(own.stack.databaseOf("events"))
      .collection("domain_events")
      .countDocuments({ project_client_id: client.id });
  // Publishes one event first, so that connections are open and the credential is cached.
  const first = await sendAndHold(client.credential);
  await eventually(async () => (await stored()) === 1);
  first.hangUp();

  for (let round = 1; round <= 3; round += 1) {
    await own.stack.kill("events-svc", "SIGSTOP");
    const before = await used();
    const requests = await Promise.all(Array.from({ length: 3 }, () => sendAndHold(client.credential)));
    await eventually(async () => (await used()) === Math.min(limit, before + 3));
    for (const { hangUp } of requests) hangUp();
    // When the gateway responds on a new connection, it has detected that the others were closed.
    await fetch(`${own.gateways[0]}/api/v1/health`);
    await own.stack.kill("events-svc", "SIGCONT");
    await eventually(async () => (await stored()) === Math.min(limit, before + 3));
  }
  expect([await stored(), await used()]).toEqual([limit, limit]);
});

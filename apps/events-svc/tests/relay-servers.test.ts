import { jetstreamManager } from "@nats-io/jetstream";
import { connect, usernamePasswordAuthenticator } from "@nats-io/transport-node";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import { startTestNats, startTestNatsCluster } from "@platform/test-kit/nats";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { streamName } from "../src/worker/relay/jetstream.ts";
import { callFor, startTestMongo, startTestServer, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let driver: MongoClient;
beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
});
afterAll(async () => {
  await driver.close();
  await mongo.close();
});

/** Runs `work` with a server and a worker of events-svc that use these NATS settings. */
async function whileRelaying(
  env: Record<string, string>,
  work: (publish: (count: number) => Promise<void>, pending: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const clientId = newId();
  const server = await startTestServer(mongo, env);
  const worker = await createEventsWorker(testConfig(mongo, env), { logger: silentLogger() });
  const events = driver.db(mongo.database).collection("domain_events");
  try {
    await work(
      async (count) => {
        for (let done = 0; done < count; done += 1)
          await server.events.publishDomainEvent(
            { type: "order.placed", schemaVersion: 1, dataJson: "{}" },
            callFor(clientId),
          );
      },
      () => events.countDocuments({ project_client_id: clientId, relay_state: "pending" }),
    );
  } finally {
    await worker.close();
    await server.close();
  }
}

const relayed = (pending: () => Promise<number>) =>
  eventually(async () => (await pending()) === 0, { timeoutMs: 60_000, what: "every event is relayed" });

describe("a NATS server that requires user and password", () => {
  const [user, password] = ["relay", "a password: with / marks"];

  test("relays events as CloudEvents to a NATS server that requires user and password", async () => {
    const nats = await startTestNats(["--user", user, "--pass", password]);
    try {
      await expect(connect({ servers: nats.url })).rejects.toThrow(/authorization/i);
      await whileRelaying(
        { NATS_URL: nats.url, NATS_USER: user, NATS_PASSWORD: password },
        async (publish, pending) => {
          await publish(20);
          await relayed(pending);
        },
      );
      const connection = await connect({
        servers: nats.url,
        authenticator: usernamePasswordAuthenticator(user, password),
      });
      const manager = await jetstreamManager(connection);
      expect((await manager.streams.info(streamName)).state.messages).toBe(20);
      const message = await manager.streams.getMessage(streamName, { seq: 1 });
      expect(message?.header.get("content-type")).toBe("application/cloudevents+json");
      await connection.close();
    } finally {
      await nats.close();
    }
  });
});

describe("a cluster of three NATS servers", () => {
  test("keeps the stream on three servers, and relays every event while one of them is killed", async () => {
    const cluster = await startTestNatsCluster();
    try {
      const env = { NATS_URL: cluster.urls, NATS_REPLICAS: "3" };
      await whileRelaying(env, async (publish, pending) => {
        await publish(20);
        await relayed(pending);
        await cluster.servers[0]?.kill();
        await publish(20);
        await relayed(pending);
      });
      const connection = await connect({ servers: cluster.servers[1]?.url ?? "" });
      // The remaining servers first elect a leader for queries about streams.
      const { config, state } = await eventually(
        async () => (await jetstreamManager(connection)).streams.info(streamName),
        { timeoutMs: 60_000, what: "the cluster answers about its streams" },
      );
      expect([config.num_replicas, state.messages]).toEqual([3, 40]);
      await connection.close();
    } finally {
      await cluster.close();
    }
  });
});

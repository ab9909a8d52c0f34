import { silentLogger } from "@platform/kit/process/telemetry";
import { connectRedis } from "@platform/quota/connect-redis";
import { channelFollower } from "@platform/quota/follow-channel";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAnnouncePublished, followPublished } from "../src/redis/published-events.ts";

const logger = silentLogger();
let server: TestRedis;
let connections: Redis[];
let feeds: { close(): void }[];

beforeEach(async () => {
  server = await startTestRedis();
  connections = [];
  feeds = [];
});
afterEach(async () => {
  for (const connection of connections) connection.disconnect();
  for (const feed of feeds) feed.close();
  await server.close();
});

function connect(): Redis {
  const redis = connectRedis(server.url, () => {});
  connections.push(redis);
  return redis;
}

/**
 * Follows the channel. Resolves after the first notification, which every follower gets because it may have missed
 * messages.
 */
async function subscribe(): Promise<{ heard: () => number }> {
  let heard = 0;
  const settings = { urls: [server.url], sentinels: [], master: null, readCa: null };
  feeds.push(
    followPublished(
      channelFollower(settings, () => {}),
      () => {
        heard += 1;
      },
    ),
  );
  await eventually(() => heard > 0);
  return { heard: () => heard };
}

test("notifies every worker with one announcement, however many events were published", async () => {
  const workers = [await subscribe(), await subscribe()];
  const redis = connect();
  await eventually(() => redis.status === "ready");
  const announce = createAnnouncePublished(redis, logger, 3_600_000);
  for (let index = 0; index < 1_000; index += 1) announce();
  await eventually(() => workers.every(({ heard }) => heard() === 2));
  // A second publisher's announcement arrives after all announcements of the first one.
  createAnnouncePublished(redis, logger)();
  await eventually(() => workers.every(({ heard }) => heard() === 3));
});

test("polls for missed events as soon as Redis is back", async () => {
  const worker = await subscribe();
  await server.kill();
  await server.start();
  await eventually(() => worker.heard() === 2);
});

test("continues publishing without Redis, and announces again once it is back", async () => {
  const worker = await subscribe();
  const redis = connect();
  await eventually(() => redis.status === "ready");
  await server.kill();
  const announce = createAnnouncePublished(redis, logger, 1);
  expect(announce).not.toThrow();
  await server.start();
  await eventually(() => {
    announce();
    return worker.heard() > 2;
  });
});

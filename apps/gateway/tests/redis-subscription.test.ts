import { redisSettings } from "@platform/kit/process/env";
import { channelFollower } from "@platform/quota/follow-channel";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

let redis: TestRedis;
let admin: Redis;
beforeAll(async () => {
  redis = await startTestRedis();
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis.close();
});

test("keeps the process alive if Redis refuses to renew a subscription, and receives messages once Redis permits it", async () => {
  const rejections: unknown[] = [];
  const note = (error: unknown): void => void rejections.push(error);
  process.on("unhandledRejection", note);
  const grant = (channels: string) =>
    admin.call(
      "ACL",
      "SETUSER",
      "follower",
      "on",
      ">secret",
      "+@all",
      "resetchannels",
      ...(channels === "" ? [] : [channels]),
    );
  await grant("&news");
  const url = new URL(redis.url);
  url.username = "follower";
  url.password = "secret";
  const errors: string[] = [];
  const messages: string[] = [];
  let subscribed = 0;
  const follow = channelFollower(redisSettings({ REDIS_URL: [url.href] }), ({ message }) => void errors.push(message));
  const following = follow("news", {
    onMessage: (message) => void messages.push(message),
    onSubscribed: () => {
      subscribed += 1;
    },
  });
  try {
    await eventually(() => subscribed > 0);
    // Redis closes the connection of a subscriber that loses its channel, and rejects the subscription of the new
    // connection.
    await grant("");
    await eventually(() => errors.some((message) => message.includes("NOPERM")));
    await grant("&news");
    const before = subscribed;
    await eventually(() => subscribed > before);
    await admin.publish("news", "hello");
    await eventually(() => messages.includes("hello"));
    expect(rejections).toEqual([]);
  } finally {
    following.close();
    process.off("unhandledRejection", note);
  }
});

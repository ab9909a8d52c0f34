import { redisSettings } from "@platform/kit/process/env";
import { connectRedis } from "@platform/quota/connect-redis";
import { channelFollower } from "@platform/quota/follow-channel";
import { createQuota } from "@platform/quota/quota";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedisSentinel, type TestRedisSentinel } from "@platform/test-kit/redis-sentinel";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

let sentinel: TestRedisSentinel;
beforeAll(async () => {
  sentinel = await startTestRedisSentinel();
});
afterAll(async () => {
  await sentinel?.close();
});

test("follows the primary that Sentinel names, and receives messages again after a failover", async () => {
  const settings = redisSettings({
    REDIS_URL: ["redis://unused"],
    REDIS_SENTINELS: sentinel.sentinels.split(","),
    REDIS_MASTER: sentinel.master,
  });
  const redis = connectRedis(settings, () => {});
  const heard: string[] = [];
  let subscribed = 0;
  const following = channelFollower(settings, () => {})("changes", {
    onMessage: (message) => void heard.push(message),
    onSubscribed: () => {
      subscribed += 1;
    },
  });
  try {
    await eventually(() => redis.status === "ready" && subscribed === 1);
    const quota = createQuota(redis);
    expect((await quota.spendUpTo("a", "events", 2, 3)).taken).toBe(2);
    await redis.publish("changes", "before");
    await eventually(() => heard.includes("before"));

    // The test waits for the replica, because a write that only the primary has acknowledged is lost with it.
    expect(await (redis as Redis).wait(1, 10_000)).toBe(1);
    await sentinel.killPrimary();
    const spent = await eventually(() => quota.spendUpTo("a", "events", 2, 3).catch(() => null));
    expect(spent.taken).toBe(1);
    await eventually(async () => {
      await redis.publish("changes", "after");
      return heard.includes("after");
    });
    // A new subscription was reported, because messages during the failover may have been missed.
    expect(subscribed).toBeGreaterThan(1);
  } finally {
    redis.disconnect();
    following.close();
  }
});

import { redisSettings } from "@platform/kit/process/env";
import { checkRedis } from "@platform/quota/check-redis";
import { connectRedis } from "@platform/quota/connect-redis";
import { channelFollower } from "@platform/quota/follow-channel";
import { createQuota } from "@platform/quota/quota";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedisPair, type TestRedisPair } from "@platform/test-kit/redis-failover";
import { startTestRedisSentinel } from "@platform/test-kit/redis-sentinel";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startLoneGateway } from "./lone-gateway.ts";

/**
 * The gateway leaves a Redis that keeps the connection but rejects commands, or does not respond, within ten seconds.
 * The additional time is for a busy machine.
 */
const leftMs = 30_000;

let pair: TestRedisPair;
beforeEach(async () => {
  pair = await startTestRedisPair();
});
afterEach(() => pair.close());

const settings = () => redisSettings({ REDIS_URL: [pair.url] });
const ready = async () => {
  const redis = connectRedis(settings(), () => {});
  await eventually(() => redis.status === "ready");
  return redis;
};

test("spends quotas again after a Redis behind one address was demoted and has kept its connections", async () => {
  const redis = await ready();
  const quota = createQuota(redis);
  try {
    expect((await quota.spendUpTo("a", "events", 2, 5)).taken).toBe(2);
    await pair.demote();
    // The script catches the error of its own command, so the client library sees an ordinary reply.
    const spent = await eventually(() => quota.spendUpTo("a", "events", 2, 5).catch(() => null), { timeoutMs: leftMs });
    expect(spent.taken).toBe(2);
    expect(await quota.used("a", "events")).toBe(4);
  } finally {
    redis.disconnect();
  }
});

test("writes plain keys again after a Redis behind one address was demoted and has kept its connections", async () => {
  const redis = await ready();
  try {
    await redis.set("session", "before");
    await pair.demote();
    await eventually(() => redis.set("session", "after").catch(() => null), { timeoutMs: leftMs });
    const primary = new Redis(pair.second.url);
    expect(await primary.get("session")).toBe("after");
    primary.disconnect();
  } finally {
    redis.disconnect();
  }
});

test("spends quotas again after the machine of a Redis was lost without closing its connections", async () => {
  const redis = await ready();
  const quota = createQuota(redis);
  try {
    await quota.spendUpTo("a", "events", 2, 100);
    await pair.loseMachine();
    const spent = await eventually(() => quota.spendUpTo("a", "events", 1, 100).catch(() => null), {
      timeoutMs: leftMs,
    });
    expect(spent.taken).toBe(1);
  } finally {
    redis.disconnect();
  }
});

test.each(["demote", "loseMachine"] as const)("receives messages of the new primary after %s", async (what) => {
  const heard: string[] = [];
  const feed = channelFollower(settings(), () => {})("changes", { onMessage: (m) => heard.push(m), onSubscribed() {} });
  const [first, second] = [new Redis(pair.first.url), new Redis(pair.second.url)];
  try {
    await eventually(async () => {
      await first.publish("changes", "before");
      return heard.includes("before");
    });
    await pair[what]();
    // The new primary no longer replicates to the former one, so the subscriber cannot receive the message through that
    // one.
    if (what === "demote") await first.replicaof("127.0.0.1", 1);
    await eventually(
      async () => {
        await second.publish("changes", "after");
        return heard.includes("after");
      },
      { timeoutMs: leftMs },
    );
  } finally {
    feed.close();
    first.disconnect();
    second.disconnect();
  }
});

test("reports why a Redis that responds to PING rejects commands: READONLY, NOREPLICAS and OOM", async () => {
  const [primary, replica] = [new Redis(pair.first.url), connectRedis(pair.second.url, () => {})];
  try {
    await eventually(() => replica.status === "ready");
    expect(await replica.ping()).toBe("PONG");
    expect(await checkRedis(replica)).toMatch(/^READONLY /);
    expect(await checkRedis(primary)).toBe(true);
    await primary.config("SET", "min-replicas-to-write", "2");
    expect(await checkRedis(primary)).toMatch(/^NOREPLICAS /);
    await primary.config("SET", "min-replicas-to-write", "0", "maxmemory", "1", "maxmemory-policy", "noeviction");
    expect(await checkRedis(primary)).toMatch(/^OOM /);
    await primary.config("SET", "maxmemory", "0");
    expect(await checkRedis(primary)).toBe(true);
  } finally {
    primary.disconnect();
    replica.disconnect();
  }
});

test("shows a demoted Redis in /readyz, /metrics and /health, and stays ready", async () => {
  // The address still leads to the demoted server, so a new connection does not help.
  const first = new Redis(pair.first.url);
  const gateway = await startLoneGateway(pair.first.url, {});
  const get = async (port: number, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  try {
    expect((await get(gateway.port, "/api/v1/health")).text).toContain('{"name":"redis","status":"ok"}');
    await first.replicaof("127.0.0.1", 1);
    const shown = await eventually(async () => {
      const ready = await get(gateway.internalPort, "/readyz");
      return ready.text.includes("redis: READONLY ") && ready;
    });
    expect(shown.status).toBe(200);
    await eventually(async () =>
      /^platform_dependency_up\{dependency="redis".*\} 0$/m.test((await get(gateway.internalPort, "/metrics")).text),
    );
    await eventually(async () =>
      (await get(gateway.port, "/api/v1/health")).text.includes('{"name":"redis","status":"down"}'),
    );
  } finally {
    await gateway.close();
    first.disconnect();
  }
});

test("follows Sentinel to the new primary while the former one is frozen", async () => {
  const sentinel = await startTestRedisSentinel();
  const where = redisSettings({
    REDIS_URL: ["redis://unused"],
    REDIS_SENTINELS: sentinel.sentinels.split(","),
    REDIS_MASTER: sentinel.master,
  });
  const redis = connectRedis(where, () => {});
  const heard: string[] = [];
  const feed = channelFollower(where, () => {})("changes", { onMessage: (m) => heard.push(m), onSubscribed() {} });
  try {
    await eventually(() => redis.status === "ready");
    const quota = createQuota(redis);
    expect((await quota.spendUpTo("a", "events", 2, 3)).taken).toBe(2);
    expect(await (redis as Redis).wait(1, 10_000)).toBe(1);
    await sentinel.freezePrimary();
    const spent = await eventually(() => quota.spendUpTo("a", "events", 2, 3).catch(() => null), { timeoutMs: leftMs });
    expect(spent.taken).toBe(1);
    await eventually(
      async () => {
        await redis.publish("changes", "after").catch(() => null);
        return heard.includes("after");
      },
      { timeoutMs: leftMs },
    );
  } finally {
    feed.close();
    redis.disconnect();
    await sentinel.close();
  }
});

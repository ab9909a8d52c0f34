import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redisSettings } from "@platform/kit/process/env";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { createTestAuthority } from "@platform/test-kit/certificates";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { startOnFreePort } from "@platform/test-kit/test-process";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

let server: TestRedis;
let redis: Redis;
let other: Redis;
beforeAll(async () => {
  server = await startTestRedis();
  other = new Redis(server.url);
});
afterAll(async () => {
  other.disconnect();
  await server.close();
});
beforeEach(async () => {
  redis = connectRedis(server.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
});
afterEach(() => redis.disconnect());

test("fails commands until a silent Redis responds, and recovers when it does", async () => {
  await other.client("PAUSE", 3_000, "ALL");
  let answered = false;
  const pong = other.ping().then(() => {
    answered = true;
  });
  const results = await Promise.allSettled([redis.incr("a"), redis.get("b")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(answered).toBe(false);
  await pong;
  await eventually(async () => (await redis.ping().catch(() => "")) === "PONG");
});

test("rejects commands immediately while there is no connection", async () => {
  const nowhere = connectRedis("redis://127.0.0.1:1", () => {});
  await expect(nowhere.get("a")).rejects.toThrow();
  nowhere.disconnect();
});

test("sends a script by its digest, and its text only if Redis does not know it", async () => {
  const quota = createQuota(redis);
  await other.config("RESETSTAT");
  for (let n = 0; n < 2; n += 1) await quota.spendUpTo("a", "events", 1, 10);
  await other.script("FLUSH");
  await quota.spendUpTo("a", "events", 1, 10);
  expect(await quota.used("a", "events")).toBe(3);
  const stats = await other.info("commandstats");
  const calls = ["eval", "evalsha"].map((name) => new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1]);
  expect(calls).toEqual(["2", "2"]);
});

test("authenticates with the URL's user and its decoded password", async () => {
  const password = "p@ss/w:rd%";
  await other.acl("SETUSER", "platform", "on", `>${password}`, "~*", "+@all");
  const { port } = new URL(server.url);
  const named = connectRedis(`redis://platform:${encodeURIComponent(password)}@127.0.0.1:${port}/3`, () => {});
  await eventually(() => named.status === "ready");
  expect(await named.acl("WHOAMI")).toBe("platform");
  expect(await named.client("INFO")).toContain(" db=3 ");
  named.disconnect();
});

test("trusts only server certificates that the authority of REDIS_CA_FILE has signed", async () => {
  const [authority, stranger] = await Promise.all([createTestAuthority(), createTestAuthority()]);
  const { cert, key } = await authority.issue("redis");
  const folder = await mkdtemp(join(tmpdir(), "redis-tls-"));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const files = ["--tls-cert-file", await file("cert.pem", cert), "--tls-key-file", await file("key.pem", key)];
  const ca = await file("ca.pem", authority.cert);
  let port = 0;
  const secured = await startOnFreePort((tlsPort) => {
    port = tlsPort;
    return startTestRedis(["--tls-port", `${port}`, ...files, "--tls-ca-cert-file", ca, "--tls-auth-clients", "no"]);
  });
  const connect = (REDIS_CA_FILE: string, onError: (error: Error) => void) =>
    connectRedis(redisSettings({ REDIS_URL: [`rediss://localhost:${port}`], REDIS_CA_FILE }), onError);
  const trusting = connect(ca, () => {});
  const errors: string[] = [];
  const doubting = connect(await file("stranger.pem", stranger.cert), (error) => errors.push(error.message));
  try {
    await eventually(async () => (await trusting.ping().catch(() => "")) === "PONG");
    await eventually(() => errors.length > 0);
    expect(errors[0]).toMatch(/certificate/);
    expect(doubting.status).not.toBe("ready");
  } finally {
    trusting.disconnect();
    doubting.disconnect();
    await secured.close();
    await rm(folder, { recursive: true, force: true });
  }
});

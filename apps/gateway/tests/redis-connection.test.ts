import { execFileSync } from "node:child_process";
import { connectRedis } from "@platform/quota/connect-redis";
import { createRedisScript } from "@platform/quota/redis-script";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
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

test("commands that Redis does not answer in time fail, and the connection goes on when it answers again", async () => {
  await other.client("PAUSE", 1_000, "ALL");
  const results = await Promise.allSettled([redis.incr("a"), redis.get("b"), redis.incr("a")]);
  expect(results.map((result) => result.status === "rejected" && result.reason.message)).toEqual([
    "Redis did not answer incr in time",
    "Redis did not answer get in time",
    "Redis did not answer incr in time",
  ]);
  await eventually(async () => (await redis.ping().catch(() => "")) === "PONG");
});

test("commands that Redis has answered do not fail because this process was busy", async () => {
  const answers = Promise.all([redis.ping(), redis.ping()]);
  // What was held back leaves with the turn; then this process is busy for longer than a command may take.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const untilMs = performance.now() + 600;
  while (performance.now() < untilMs);
  expect(await answers).toEqual(["PONG", "PONG"]);
});

test("of many commands made in one turn of the event loop Redis gets the first ones before it has ended", async () => {
  const answers = Array.from({ length: 17 }, () => redis.incr("turns"));
  const { port } = new URL(server.url);
  // Asked by another process while this one waits: its own turn does not end meanwhile.
  const counted = (): string => execFileSync("redis-cli", ["-p", port, "GET", "turns"], { encoding: "utf8" }).trim();
  const untilMs = performance.now() + 10_000;
  while (counted() !== "16" && performance.now() < untilMs);
  expect(counted()).toBe("16");
  expect(await Promise.all(answers)).toEqual(Array.from(answers, (_, index) => index + 1));
});

test("a script's texts arrive as they are, in any language and of any length", async () => {
  const echo = createRedisScript(redis, "return {KEYS[1], ARGV[1], #ARGV, false, 7}");
  for (const text of ["", "a\r\n$1\r\nb", "ä – 日本 🎟", "x".repeat(100_000)]) {
    expect(await echo.call([`key ${text}`], [text, "second"])).toEqual([`key ${text}`, text, 2, null, 7]);
  }
});

test("a script is sent by its digest, and as text only where Redis does not know it", async () => {
  const script = createRedisScript(redis, "return redis.call('INCR', KEYS[1])");
  await other.config("RESETSTAT");
  expect(await script.call(["n"], [])).toBe(1);
  expect(await script.call(["n"], [])).toBe(2);
  await other.script("FLUSH");
  expect(await script.call(["n"], [])).toBe(3);
  const stats = await other.info("commandstats");
  expect([/cmdstat_eval:calls=(\d+)/, /cmdstat_evalsha:calls=(\d+)/].map((name) => name.exec(stats)?.[1])).toEqual([
    "2",
    "3",
  ]);
});

test("a script's own error is the caller's", async () => {
  await expect(createRedisScript(redis, "return redis.error_reply('NO such thing')").call([], [])).rejects.toThrow(
    "NO such thing",
  );
});

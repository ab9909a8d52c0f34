import { connectRedis } from "@platform/quota/connect-redis";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSessionStore, type Session } from "../src/redis/sessions.ts";

let server: TestRedis;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

const minuteMs = 60_000;
const sessionUntil = (endsAtMs: number): Session => ({
  subject: "ann",
  name: "Ann",
  roles: ["viewer"],
  operatorToken: "poper_secret",
  idToken: "id-token-secret",
  csrf: "csrf-secret",
  endsAtMs,
});

it("stores nothing in Redis that could open a session or identify its owner", async () => {
  const sessions = createSessionStore(redis, 30 * minuteMs);
  const id = await sessions.open(sessionUntil(Date.now() + 60 * minuteMs));
  const keys = await redis.keys("console:session:*");
  const kept = JSON.stringify([keys, await Promise.all(keys.map((key) => redis.get(key)))]);
  for (const secret of [id, "poper_secret", "id-token-secret", "csrf-secret", "Ann"])
    expect(kept).not.toContain(secret);
  expect(await sessions.find(id)).toMatchObject({ subject: "ann" });
});

it("ends a session after its idle time, and at its absolute expiry even if it is in use", async () => {
  let nowMs = Date.now();
  const sessions = createSessionStore(redis, 30 * minuteMs, () => nowMs);
  const id = await sessions.open(sessionUntil(nowMs + 40 * minuteMs));
  const key = (await redis.keys("console:session:*")).map(async (each) => redis.pttl(each));
  expect(Math.max(...(await Promise.all(key)))).toBeLessThanOrEqual(30 * minuteMs);
  nowMs += 25 * minuteMs;
  expect(await sessions.find(id)).not.toBeNull();
  nowMs += 15 * minuteMs;
  expect(await sessions.find(id)).toBeNull();
});

it("accepts a form once, only in the session in which it was opened, until the session's idle time has passed", async () => {
  let nowMs = Date.now();
  const sessions = createSessionStore(redis, 30 * minuteMs, () => nowMs);
  const [token, late] = [sessions.openForm("a"), sessions.openForm("a")];
  expect(await sessions.takeForm("b", token)).toBe(false);
  expect(
    await sessions.takeForm(
      "a",
      token.replace(/.$/, (char) => (char === "0" ? "1" : "0")),
    ),
  ).toBe(false);
  expect(await Promise.all([1, 2, 3].map(() => sessions.takeForm("a", token)))).toEqual([true, false, false]);
  nowMs += 30 * minuteMs - 1;
  expect(sessions.isForm("a", late)).toBe(true);
  nowMs += 1;
  expect(await sessions.takeForm("a", late)).toBe(false);
});

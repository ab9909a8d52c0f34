import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { freePort } from "../src/free-port.ts";
import { isServedBy, startTestRedis, type TestRedis } from "../src/redis.ts";
import { startTestRedisSentinel } from "../src/redis-sentinel.ts";
import { endChild, startOnFreePort, startTestProcess } from "../src/test-process.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Returns a port on which a server listens that is not Redis. */
async function takenPort(): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Returns a function that returns the given port first and free ports afterwards. */
const beginningAt = (first: number): (() => Promise<number>) => {
  const given = [first];
  return async () => given.shift() ?? freePort();
};

async function startRedis(nextPort?: () => Promise<number>): Promise<TestRedis> {
  const redis = await startTestRedis([], nextPort);
  closing.push(redis.close);
  return redis;
}

test("starts a redis-server on another port when the first one is in use", async () => {
  const port = await takenPort();
  const redis = await startRedis(beginningAt(port));
  expect(new URL(redis.url).port).not.toBe(`${port}`);
});

test("starts its own redis-server if another test's responds at the port", async () => {
  const other = await startRedis();
  const redis = await startRedis(beginningAt(Number(new URL(other.url).port)));
  expect(redis.url).not.toBe(other.url);
  await redis.kill();
  await redis.close();
});

test("distinguishes a redis-server from another process's", async () => {
  const redis = await startRedis();
  expect(await isServedBy(redis.url, process.pid)).toBe(false);
});

test("rejects immediately with exit code and output when the program ends before it is ready", async () => {
  const child = startTestProcess("redis-server", ["--no-such-setting"]);
  const waiting = child.until(async () => false, { what: "it answers", timeoutMs: 600_000 });
  await expect(waiting).rejects.toThrow(/redis-server ended with code 1:.*no-such-setting/s);
});

test("rejects immediately when the program cannot be started, and ends it without waiting", async () => {
  const child = startTestProcess("no-such-program", []);
  const waiting = child.until(async () => false, { what: "it answers", timeoutMs: 600_000 });
  await expect(waiting).rejects.toThrow(/no-such-program could not be started: .*ENOENT/);
  await child.end();
});

test("ends a process that has ended already", async () => {
  const child = startTestProcess(process.execPath, ["--eval", ""]);
  await expect(child.until(async () => false, { what: "it answers" })).rejects.toThrow("ended with code 0");
  await child.end();
  const other = spawn(process.execPath, ["--eval", ""]);
  await once(other, "exit");
  await endChild(other);
});

test("does not restart a server that ends for another reason than its port", async () => {
  let starts = 0;
  const start = async (): Promise<never> => {
    starts += 1;
    throw new Error("out of memory");
  };
  await expect(startOnFreePort(start)).rejects.toThrow("out of memory");
  expect(starts).toBe(1);
});

test("gives up if every port is in use, and quotes the server's output", async () => {
  const port = await takenPort();
  await expect(startTestRedis([], async () => port)).rejects.toThrow(/Address already in use/);
});

test("ends a wait whose probe never responds", async () => {
  const hung = eventually(() => new Promise<boolean>(() => {}), { timeoutMs: 50, what: "an answer" });
  await expect(hung).rejects.toThrow("condition not met in time: an answer");
});

test("closes Sentinels whose processes have died", async () => {
  const sentinel = await startTestRedisSentinel();
  await sentinel.killPrimary();
  await sentinel.close();
  await sentinel.close();
});

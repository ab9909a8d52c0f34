import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedisPair } from "@platform/test-kit/redis-failover";
import { startTestRedisSentinel } from "@platform/test-kit/redis-sentinel";
import { expect, test } from "vitest";
import { startLoneGateway } from "./lone-gateway.ts";

/** Seconds of load for each fault. `make test-engines` sets 60. */
const seconds = Number(process.env.REDIS_LOAD_SECONDS ?? 8);
const callers = 8;

/** A Redis with a fault, and the environment of a gateway that uses it. */
type Engine = { readonly env: NodeJS.ProcessEnv; misbehave(): Promise<void>; close(): Promise<void> };

const pairOf = async (how: "demote" | "loseMachine"): Promise<Engine> => {
  const pair = await startTestRedisPair();
  return { env: { REDIS_URL: pair.url }, misbehave: pair[how], close: pair.close };
};

const frozenPrimary = async (): Promise<Engine> => {
  const { sentinels, master, freezePrimary, close } = await startTestRedisSentinel();
  const env = { REDIS_URL: "redis://unused", REDIS_SENTINELS: sentinels, REDIS_MASTER: master };
  return { env, misbehave: freezePrimary, close };
};

test.each([
  ["one address, demoted", () => pairOf("demote")],
  ["one address, its machine lost", () => pairOf("loseMachine")],
  ["Sentinel, primary frozen", frozenPrimary],
] as const)("loses no acknowledged key and executes no request twice under load: %s", async (name, start) => {
  const engine = await start();
  const gateway = await startLoneGateway(engine.env.REDIS_URL ?? "", engine.env);
  const send = async (key: string): Promise<{ status: number; isReplayed: boolean }> => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/noop`, {
      method: "POST",
      headers: { "idempotency-key": key, "content-type": "application/json" },
      body: JSON.stringify({ money: { currency: "JPY", minor: 1 } }),
    });
    const { meta } = (await response.json()) as { meta?: { replayed?: boolean } };
    return { status: response.status, isReplayed: meta?.replayed === true };
  };
  const isUp = async (): Promise<boolean> => {
    const metrics = await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`).then((response) => response.text());
    return /^platform_dependency_up\{dependency="redis".*\} 1$/m.test(metrics);
  };
  const startedAtMs = performance.now();
  const acknowledged: string[] = [];
  let [failures, lastFailureMs, faultAtMs, wasSignalled] = [0, 0, 0, false];
  try {
    await eventually(isUp);
    const isOver = (): boolean => performance.now() - startedAtMs > seconds * 1_000;
    const caller = async (): Promise<void> => {
      while (!isOver()) {
        const key = randomUUID();
        // A caller repeats a failed request with the same key until it is acknowledged.
        await eventually(async () => {
          const { status } = await send(key);
          if (status === 202) return true;
          failures += 1;
          lastFailureMs = performance.now();
          return false;
        });
        acknowledged.push(key);
        await delay(5);
      }
    };
    const watch = async (): Promise<void> => {
      while (!isOver()) {
        if (faultAtMs > 0 && !(await isUp())) wasSignalled = true;
        await delay(100);
      }
    };
    const load = Promise.all([...Array.from({ length: callers }, caller), watch()]);
    await delay(1_000);
    const before = acknowledged.length;
    faultAtMs = performance.now();
    await engine.misbehave();
    await load;
    expect(acknowledged.length).toBeGreaterThan(before);
    // A failover may lose only writes that the primary had not sent to its replica yet.
    const replays = await Promise.all(acknowledged.slice(-100).map(send));
    expect(replays.filter(({ isReplayed }) => !isReplayed)).toEqual([]);
    const recovery = failures === 0 ? 0 : (lastFailureMs - faultAtMs) / 1_000;
    process.stdout.write(
      `| ${name} | ${seconds} s | ${recovery.toFixed(1)} s | ${acknowledged.length} acknowledged, ${failures} failed tries | platform_dependency_up ${wasSignalled ? "0 seen" : "stayed 1"}, RedisDown after 1 m |\n`,
    );
  } finally {
    await gateway.close();
    await engine.close();
  }
});

import { startTestRedis } from "@platform/test-kit/redis";
import { expect, test } from "vitest";
import { startLoneGateway } from "./lone-gateway.ts";

test("stays ready and serves /health while Redis and every service are unavailable", async () => {
  const redis = await startTestRedis();
  const gateway = await startLoneGateway(redis.url, {});
  try {
    await redis.close();
    const ready = await fetch(`http://127.0.0.1:${gateway.internalPort}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, "ok\nredis: unavailable\nidentity-svc: unavailable\n"]);
    const health = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/health`);
    const { data } = (await health.json()) as { data: { components: { name: string; status: string }[] } };
    expect(health.status).toBe(200);
    expect(data.components).toContainEqual({ name: "redis", status: "down" });
  } finally {
    await gateway.close();
  }
});

import { randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { silentLogger } from "@platform/service-kit/process/logger";
import { startTestRedis } from "@platform/test-kit/redis";
import { expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createIdentityServer } from "../src/create-identity-server.ts";
import { operatorToken } from "./start-identity.ts";

test("with the database gone, nobody is let in: pages say so with 503 and a way to try again", async () => {
  const [mongo, redis] = await Promise.all([startEmbeddedMongo({ port: 0 }), startTestRedis()]);
  const config = readServerConfig({
    MONGODB_URI: mongo.uri,
    REDIS_URL: redis.url,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: operatorToken,
    GRPC_PORT: "0",
    HTTP_PORT: "0",
    PROBE_PORT: "0",
  });
  const server = await createIdentityServer(config, { logger: silentLogger() });
  await mongo.close();
  const cookie = `platform_continuation=01900000-0000-7000-8000-000000000000.${"0".repeat(64)}`;
  const page = await fetch(`http://127.0.0.1:${server.httpPort}/api/v1/identity-migration/sign-in`, {
    headers: { cookie, accept: "text/html" },
  });
  expect(page.status).toBe(503);
  expect(await page.text()).toContain("Not available right now");
  const probe = await fetch(`http://127.0.0.1:${server.probePort}/readyz`);
  expect([probe.status, await probe.text()]).toEqual([503, "not ready: mongodb\n"]);
  await server.close();
  await redis.close();
});

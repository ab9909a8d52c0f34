import { randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc } from "@platform/kit/rpc/client";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { startTestRedis } from "@platform/test-kit/redis";
import { expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createIdentityServer } from "../src/create-identity-server.ts";
import { callAs, operatorToken } from "./start-identity.ts";

test("admits nobody without the database, and returns dependency_unavailable", async () => {
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
  expect(await page.text()).toContain("Temporarily unavailable");
  const connection = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null });
  const call = connection
    .service(AuthenticationService)
    .authenticateProjectCredential({ credentialId: "0".repeat(32), secretSha256: new Uint8Array(32) }, callAs(null));
  await expect(call).rejects.toMatchObject({ code: "dependency_unavailable" });
  connection.close();
  const probe = await fetch(`http://127.0.0.1:${server.probePort}/readyz`);
  expect([probe.status, await probe.text()]).toEqual([200, "ok\nmongodb: unavailable\n"]);
  await server.close();
  await redis.close();
});

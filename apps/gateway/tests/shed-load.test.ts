import { silentLogger } from "@platform/service-kit/process/logger";
import { freePort } from "@platform/test-kit/free-port";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { createGateway, type Gateway } from "../src/create-gateway.ts";

let redis: TestRedis;
let gateway: Gateway;
beforeAll(async () => {
  redis = await startTestRedis();
  const nobody = `127.0.0.1:${await freePort()}`;
  const grpc = ["IDENTITY", "FILES", "NOTIFY", "EVENTS", "ADS"].map((name) => [`${name}_GRPC`, nobody]);
  const config = readConfig({
    ...Object.fromEntries(grpc),
    REDIS_URL: redis.url,
    GATEWAY_PORT: "0",
    GATEWAY_INTERNAL_PORT: "0",
    IN_FLIGHT_MAX: "4",
  });
  gateway = await createGateway(config, { logger: silentLogger() });
});
afterAll(async () => {
  await gateway.close();
  await redis.close();
});

const url = (path: string): string => `http://127.0.0.1:${gateway.port}/api/v1${path}`;

/** A request whose body does not end before the test says so: it stays in flight. */
function openRequest() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const body = new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode('{"money":{"currency":"JPY","minor":1}'));
      await ended;
      controller.enqueue(new TextEncoder().encode("}"));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const reply = fetch(url("/noop"), { method: "POST", headers, body, duplex: "half" } as RequestInit);
  return { end, reply };
}

const inFlight = async (): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`)).text();
  return Number(/^platform_http_requests_in_flight\S* (\d+)/m.exec(text)?.[1]);
};

test("a full gateway refuses with 503 and Retry-After before it authenticates, still tells its health, and recovers", async () => {
  const open = Array.from({ length: 4 }, openRequest);
  await expect.poll(inFlight).toBe(4);

  const shed = await fetch(url("/project-client"), { headers: { authorization: "Bearer nonsense" } });
  expect(shed.status).toBe(503);
  expect(shed.headers.get("retry-after")).toBe("1");
  expect(await shed.json()).toEqual({
    error: {
      code: "dependency_unavailable",
      message: expect.any(String),
      retryable: true,
      correlation_id: shed.headers.get("x-correlation-id"),
      details: {},
    },
  });
  expect((await fetch(url("/health"))).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${gateway.internalPort}/livez`)).status).toBe(200);

  for (const { end } of open) end();
  for (const { reply } of open) expect((await reply).status).toBe(202);
  await expect.poll(inFlight).toBe(0);
  expect((await fetch(url("/project-client"), { headers: { authorization: "Bearer nonsense" } })).status).toBe(401);
});

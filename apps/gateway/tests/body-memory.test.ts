import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

const mebibyte = 1024 * 1024;

let redis: TestRedis;
let gateway: Gateway;
beforeAll(async () => {
  redis = await startTestRedis();
  // A caller may use 4 MiB of this budget.
  gateway = await startLoneGateway(redis.url, { BODY_BYTES_IN_FLIGHT_MAX: String(8 * mebibyte) });
});
afterAll(async () => {
  await gateway.close();
  await redis.close();
});

const url = (path: string): string => `http://127.0.0.1:${gateway.port}/api/v1${path}`;
const start = '{"money":{"currency":"JPY","minor":1}';
const padded = (bytes: number): string => `${start}${" ".repeat(bytes - start.length - 1)}}`;

async function post(body: string | ReadableStream): Promise<Response> {
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  return fetch(url("/noop"), { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

/** Opens a chunked request with this many bytes, whose last byte is sent when the test tells it to. */
function openRequest(bytes: number) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const body = new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode(padded(bytes).slice(0, -1)));
      await ended;
      controller.enqueue(new TextEncoder().encode("}"));
      controller.close();
    },
  });
  return { end, reply: post(body) };
}

const metric = async (pattern: RegExp): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`)).text();
  return Number(pattern.exec(text)?.[1] ?? 0);
};
const inFlight = (): Promise<number> => metric(/^platform_http_requests_in_flight\S* (\d+)/m);
const shed = (): Promise<number> =>
  metric(/^platform_http_requests_shed_total\{[^}]*reason="body_bytes"[^}]*\} (\d+)/m);

test("rejects large bodies unread with Retry-After while the memory budget is used up, and admits small ones", async () => {
  const open = Array.from({ length: 4 }, () => openRequest(mebibyte));
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(4);

  const refusals = await Promise.all([post(padded(mebibyte)), post(padded(64 * 1024 + 1))]);
  for (const refused of refusals) {
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(((await refused.json()) as { error: unknown }).error).toMatchObject({
      code: "dependency_unavailable",
      retryable: true,
    });
  }
  const chunked = openRequest(100 * 1024);
  expect((await chunked.reply).status).toBe(503);
  chunked.end();
  expect(await shed()).toBe(3);
  expect((await post(padded(64 * 1024))).status).toBe(202);

  // A waiting request is admitted as soon as another one has ended.
  const waiting = post(padded(mebibyte));
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(5);
  for (const { end } of open) end();
  for (const { reply } of open) expect((await reply).status).toBe(202);
  expect((await waiting).status).toBe(202);
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(0);

  // All memory was released: in each round, four bodies are admitted concurrently, and the other four after them. On a
  // slow machine, one of these may wait longer than a body may, and is then sent again.
  for (let round = 0; round < 3; round += 1)
    await Promise.all(
      Array.from({ length: 8 }, () =>
        eventually(async () => (await post(padded(mebibyte))).status === 202, { what: "a large body is admitted" }),
      ),
    );
});

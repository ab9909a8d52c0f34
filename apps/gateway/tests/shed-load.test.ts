import { once } from "node:events";
import { connect } from "node:net";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

let redis: TestRedis;
let gateway: Gateway;
beforeAll(async () => {
  redis = await startTestRedis();
  gateway = await startLoneGateway(redis.url, { IN_FLIGHT_MAX: "4" });
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

/** Sends requests one after another on one connection; the answer to the last. */
function connection() {
  const socket = connect({ host: "127.0.0.1", port: gateway.port, noDelay: true });
  let received = "";
  socket
    .on("error", () => {})
    .on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
  const ask = async (request: string) => {
    received = "";
    socket.write(request, "latin1");
    const end = await expect
      .poll(() => received.indexOf("\r\n\r\n"))
      .toBeGreaterThan(0)
      .then(() => received.indexOf("\r\n\r\n"));
    const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.split(": ")[0]?.toLowerCase(), line.slice(line.indexOf(": ") + 2)]),
    );
    await expect.poll(() => received.length).toBe(end + 4 + Number(headers.get("content-length")));
    return { statusLine, headers, json: JSON.parse(received.slice(end + 4)) };
  };
  return { ask, socket };
}

const shedOf = async (): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`)).text();
  return [...text.matchAll(/^platform_http_requests_shed_total\S* (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

test("a connection that was refused gets the same refusal again, before anything is made of it, and is served once there is room", async () => {
  const open = Array.from({ length: 4 }, openRequest);
  await expect.poll(inFlight).toBe(4);
  const before = await shedOf();
  const correlationId = crypto.randomUUID();
  const request = `GET /api/v1/project-client HTTP/1.1\r\nhost: x\r\nauthorization: Bearer nonsense\r\nx-correlation-id: ${correlationId}\r\n\r\n`;
  const { ask, socket } = connection();

  const byNode = await ask(request);
  expect(byNode.statusLine).toBe("HTTP/1.1 503 Service Unavailable");
  for (let again = 0; again < 5; again += 1) {
    const { statusLine, headers, json } = await ask(request);
    expect(statusLine).toBe(byNode.statusLine);
    expect(json).toEqual(byNode.json);
    expect([...headers.keys()]).toEqual([...byNode.headers.keys()]);
    expect(new Map([...headers, ["date", ""]])).toEqual(new Map([...byNode.headers, ["date", ""]]));
    expect(Date.parse(headers.get("date") ?? "")).toBeGreaterThan(Date.now() - 60_000);
  }
  const forBrowsers =
    "POST /api/v1/advertising/viewable-impressions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";
  expect((await ask(forBrowsers)).headers.get("access-control-allow-origin")).toBe("*");
  expect(await shedOf()).toBe(before + 7);
  // Nobody is kept from asking how the platform is, and what is no operation is told so.
  expect((await ask("GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n")).statusLine).toBe("HTTP/1.1 200 OK");
  expect((await ask("GET /api/v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n")).json.error.code).toBe("route_not_found");

  for (const { end } of open) end();
  for (const { reply } of open) expect((await reply).status).toBe(202);
  await expect.poll(inFlight).toBe(0);
  expect((await ask(request)).statusLine).toBe("HTTP/1.1 401 Unauthorized");
  // Its bytes pass through this process's own hands now, so an upload on it is not handed to another.
  const upload = Buffer.alloc(2 * 1024 * 1024, "a").toString("latin1");
  const put = `PUT /api/v1/file-uploads/${"a".repeat(64)} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${upload.length}\r\n\r\n`;
  expect((await ask(put + upload)).json.error.code).toBe("dependency_unavailable");
  socket.destroy();
  await once(socket, "close");
});

test("a process that is to stop ends such a connection with its next refusal, too", async () => {
  const open = Array.from({ length: 4 }, openRequest);
  await expect.poll(inFlight).toBe(4);
  const request = "GET /api/v1/project-client HTTP/1.1\r\nhost: x\r\n\r\n";
  const { ask, socket } = connection();
  for (let again = 0; again < 3; again += 1) expect((await ask(request)).headers.get("connection")).toBe("keep-alive");
  gateway.stopServing();
  const last = await ask(request);
  expect(last.statusLine).toBe("HTTP/1.1 503 Service Unavailable");
  expect(last.headers.get("connection")).toBe("close");
  if (!socket.closed) await once(socket, "close");
  for (const { end } of open) end();
  for (const { reply } of open) expect((await reply).status).toBe(202);
});

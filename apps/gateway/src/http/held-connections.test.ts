import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGatewayMetrics } from "../gateway-metrics.ts";
import type { LoadGate } from "../load/load-gate.ts";
import { createSlowdown } from "../load/slowdown.ts";
import { createTrafficRefusals } from "../load/traffic-refusals.ts";
import { createDoor } from "../pipeline/shed-load.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import { markClosing, noteAnswer } from "./connections.ts";

/** A server that answers each request with its path, holds the connections of all that is below /held, and remembers what it got. */
let server: Server;
let got: string[];
let held: (() => void)[];
let asked: number;
beforeEach(async () => {
  got = [];
  held = [];
  asked = 0;
  const gate = {
    hold: (_caller: string, resume: () => void) => {
      asked += 1;
      held.push(resume);
      return true;
    },
  } as unknown as LoadGate;
  const door = createDoor({
    gate,
    slowdown: createSlowdown(),
    metrics: createGatewayMetrics(),
    credentials: {} as CredentialCache,
    trafficRefusals: createTrafficRefusals(),
  });
  server = createServer((request, response) => {
    const path = request.url ?? "";
    got.push(path);
    noteAnswer(response);
    if (path.startsWith("/held")) response.once("close", () => door.answered(response, "caller"));
    if (path.endsWith("/last")) markClosing(request.socket);
    request.resume().once("end", () => response.end(path));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

type Client = { send(...paths: string[]): void; answer(path: string): Promise<void> };

async function client(): Promise<Client> {
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  const request = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-length: 6\r\n\r\n{"":0}`;
  return {
    send: (...paths) => void socket.write(paths.map(request).join("")),
    answer: async (path) => {
      while (!text.endsWith(`\r\n\r\n${path}`)) await once(socket, "data");
    },
  };
}

/** Another connection asks and is answered twice: whatever else was to be read has been by then. */
async function elsewhere(): Promise<void> {
  const other = await client();
  for (const path of ["/other/1", "/other/2"]) {
    other.send(path);
    await other.answer(path);
  }
}

test("what comes on a held connection is not read until it is to be, and then answered", async () => {
  const one = await client();
  one.send("/held/1");
  await one.answer("/held/1");
  one.send("/held/2");
  await elsewhere();
  expect(got).toEqual(["/held/1", "/other/1", "/other/2"]);
  held[0]?.();
  await one.answer("/held/2");
  expect(got.at(-1)).toBe("/held/2");
});

test("requests that came together are all answered before their connection is held", async () => {
  const one = await client();
  one.send("/held/1", "/held/2", "/held/3");
  await one.answer("/held/3");
  await elsewhere();
  expect(asked).toBe(1);
  one.send("/held/4");
  await elsewhere();
  expect(got).not.toContain("/held/4");
  held[0]?.();
  await one.answer("/held/4");
});

test("a connection that ends with its answer, or has ended, is not held", async () => {
  const one = await client();
  one.send("/held/last");
  await one.answer("/held/last");
  await elsewhere();
  expect(asked).toBe(0);
});

test("a client that goes away while its connection is held is noticed once it is read again", async () => {
  const one = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [Socket];
  one.write("GET /held/1 HTTP/1.1\r\nhost: gateway\r\n\r\n");
  await once(one, "data");
  one.destroy();
  await elsewhere();
  expect(accepted.destroyed).toBe(false);
  held[0]?.();
  await once(accepted, "close");
});

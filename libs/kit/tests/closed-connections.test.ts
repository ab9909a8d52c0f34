import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connectMongo, mongoCheck } from "../src/store/connect.ts";

/** A short limit makes a command that hangs fail soon. */
const longestMs = 20_000;

let mongo: TestMongo;
let proxy: Server;
let port: number;
/**
 * Connections of the proxy and the corresponding sockets of the driver, each in the order of creation. The first one
 * belongs to the driver's monitor.
 */
let links: Socket[];
let sockets: Socket[];
let connection: Connection;

beforeAll(async () => {
  mongo = await startTestMongo();
});
beforeEach(async () => {
  links = [];
  sockets = [];
  subscribe("net.client.socket", noteSocket);
  proxy = createServer((link) => {
    const { hostname, port: target } = new URL(mongo.uri);
    const upstream = connect(Number(target), hostname);
    links.push(link);
    link.on("error", () => {}).on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => link.destroy());
    link.pipe(upstream).pipe(link);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  ({ port } = proxy.address() as AddressInfo);
  const uri = new URL(mongo.uri);
  uri.port = String(port);
  uri.searchParams.set("minHeartbeatFrequencyMS", "1");
  connection = await connectMongo({ uri: uri.href, database: mongo.database, maxPoolSize: 1 });
  await mongoCheck(connection)();
});
afterEach(async () => {
  unsubscribe("net.client.socket", noteSocket);
  await connection.close();
  for (const link of links) link.destroy();
  if (proxy.listening) await new Promise((resolve) => proxy.close(resolve));
}, longestMs);
afterAll(() => mongo.close());

function noteSocket(message: unknown): void {
  const { socket } = message as { socket: Socket };
  socket.once("connect", () => {
    if (socket.remotePort === port) sockets.push(socket);
  });
}

/**
 * Ends a connection from the server's side. Resolves when the driver's socket is closed but has not emitted "close"
 * yet.
 */
function endedUnsaid(at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = sockets.at(at) as Socket;
    const passed = (): void => reject(new Error("the moment to test has passed"));
    socket.once("close", passed).once("finish", () =>
      process.nextTick(() => {
        if (socket.destroyed) resolve();
        else passed();
      }),
    );
    links.at(at)?.end();
  });
}

test(
  "fails a command on a connection that the server has just ended, and sends the next command on another connection",
  async () => {
    await endedUnsaid(-1);
    await expect(mongoCheck(connection)()).rejects.toThrow(/closed/);
    expect(await mongoCheck(connection)()).toBe(true);
  },
  longestMs,
);

test(
  "finds the server again after the connection of a monitor was ended",
  async () => {
    await endedUnsaid(0);
    const client = connection.getClient() as unknown as {
      topology: { s: { servers: Map<string, { requestCheck(): void }> } };
    };
    for (const server of client.topology.s.servers.values()) server.requestCheck();
    // The server stops during a command, so that the driver starts to search for it. The server then starts again.
    const asked = mongoCheck(connection)();
    const closed = new Promise((resolve) => proxy.close(resolve));
    for (const link of links) link.destroy();
    await expect(asked).rejects.toThrow(/closed/);
    await closed;
    await once(proxy.listen(port, "127.0.0.1"), "listening");
    expect(await mongoCheck(connection)()).toBe(true);
  },
  longestMs,
);

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { Registry } from "@prometheus-io/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHealth, type ProbeServer, probeConnectionsMax, serveProbes } from "../src/process/health.ts";

let probes: ProbeServer;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  probes = await serveProbes({ host: "127.0.0.1", port: 0, health: createHealth(), registry: new Registry() });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await probes.close();
});

async function open(): Promise<Socket> {
  const socket = connect(probes.port, "127.0.0.1").on("error", () => {});
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}
const statusOf = async (path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${probes.port}${path}`)).status;

test("rejects a URL of 9 kB and accepts one of 7 kB", async () => {
  expect(await statusOf(`/livez?${"x".repeat(7_000)}`)).toBe(200);
  expect(await statusOf(`/livez?${"x".repeat(9_000)}`)).toBe(431);
});

test("closes a connection that sends nothing", async () => {
  const silent = await open();
  silent.resume();
  await once(silent, "close");
  expect(await statusOf("/livez")).toBe(200);
}, 30_000);

test("rejects connections beyond the maximum, and accepts others once one of them has closed", async () => {
  const held = await Promise.all(Array.from({ length: probeConnectionsMax }, open));
  const surplus = connect(probes.port, "127.0.0.1").on("error", () => {});
  sockets.push(surplus);
  await once(surplus.resume(), "close");
  expect(held.filter(({ destroyed }) => destroyed)).toEqual([]);
  held[0]?.destroy();
  await eventually(async () => (await statusOf("/livez").catch(() => 0)) === 200);
});

import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { createServer, type Socket } from "node:net";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { eventually } from "@platform/test-kit/eventually";
import { afterEach, describe, expect, test } from "vitest";
import { defined } from "../src/process/defined.ts";
import { connectGrpc } from "../src/rpc/connect.ts";
import type { GrpcServer } from "../src/rpc/serve.ts";
import { serveEvents } from "./serve-events.ts";

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Replica = { readonly server: GrpcServer; calls: number };

/** Starts one replica of a service at a loopback address of this machine. */
async function startReplica(host: string, port = 0): Promise<Replica> {
  const replica = { calls: 0 };
  const publish = async () => {
    replica.calls += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return {};
  };
  const server = await serveEvents(publish, { host, port });
  ends.push(() => server.close(200));
  return Object.assign(replica, { server });
}

/** Calls continuously until stopped. Returns the number of failures. */
function loadOn(address: string, resolve?: (name: string) => Promise<readonly string[]>, isMuxUsed = true) {
  const connection = connectGrpc({
    address,
    tls: null,
    isMuxUsed,
    resolveEveryMs: 50,
    ...defined({ resolve }),
  });
  ends.push(() => connection.close());
  const { publishDomainEvent } = connection.service(DomainEventService);
  let isDone = false;
  const failures: unknown[] = [];
  const drive = async (): Promise<void> => {
    while (!isDone) {
      await publishDomainEvent(
        { type: "a", schemaVersion: 1, dataJson: "{}" },
        { context, retryUnavailable: true },
      ).catch((error: unknown) => failures.push(error));
    }
  };
  const driving = Promise.all(Array.from({ length: 32 }, drive));
  return {
    stop: async () => {
      isDone = true;
      await driving;
      return failures;
    },
  };
}

/**
 * Waits until all replicas have been called, then counts 1,000 calls. Each replica must receive between half and one
 * and a half times its share.
 */
async function expectEvenLoad(replicas: readonly Replica[]): Promise<void> {
  const before = () => replicas.map(({ calls }) => calls);
  const begun = before();
  await eventually(() => replicas.every(({ calls }, index) => calls > (begun[index] ?? 0)));
  const from = before();
  const done = (): number[] => replicas.map(({ calls }, index) => calls - (from[index] ?? 0));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  await eventually(() => sum(done()) >= 1_000);
  const counts = done();
  const mean = sum(counts) / counts.length;
  for (const count of counts) {
    expect(count / mean).toBeGreaterThan(0.5);
    expect(count / mean).toBeLessThan(1.5);
  }
}

/** Starts a DNS server for one name, whose A and AAAA records the test sets. */
async function startNameServer() {
  const records: { a: string[]; aaaa: string[] } = { a: [], aaaa: [] };
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const nameEnd = query.indexOf(0, 12) + 1;
    const type = query.readUInt16BE(nameEnd);
    const addresses = type === 1 ? records.a : type === 28 ? records.aaaa : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.fill(0, 8);
    const answers = addresses.map((address) => {
      const data =
        type === 1 ? Buffer.from(address.split(".").map(Number)) : Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0xc00c, 0);
      head.writeUInt16BE(type, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(data.length, 10);
      return Buffer.concat([head, data]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, nameEnd + 4), ...answers]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  ends.push(() => socket.close());
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const resolve = async (name: string): Promise<string[]> => {
    const [a, aaaa] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return [...(a.status === "fulfilled" ? a.value : []), ...(aaaa.status === "fulfilled" ? aaaa.value : [])];
  };
  return { records, resolve };
}

describe.each([
  ["multiplexed", true],
  ["made by themselves", false],
])("calls %s", (_how, isMuxUsed) => {
  test("spreads calls evenly over a name's replicas as they grow from one to four and shrink to two", async () => {
    const { records, resolve } = await startNameServer();
    const first = await startReplica("127.0.0.1");
    const { port } = first.server;
    records.a = ["127.0.0.1"];
    const load = loadOn(`events.localhost:${port}`, resolve, isMuxUsed);
    await expectEvenLoad([first]);

    const others = [
      await startReplica("127.0.0.2", port),
      await startReplica("127.0.0.3", port),
      await startReplica("::1", port),
    ];
    records.a = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
    records.aaaa = ["::1"];
    await expectEvenLoad([first, ...others]);

    records.a = ["127.0.0.2", "127.0.0.3"];
    records.aaaa = [];
    const [second, third] = others as [Replica, Replica];
    await expectEvenLoad([second, third]);
    const gone = first.calls;
    await expectEvenLoad([second, third]);
    expect(first.calls).toBe(gone);
    expect(await load.stop()).toEqual([]);
  });

  test("spreads calls over the reachable replicas of a list, and retries the others", async () => {
    const first = await startReplica("127.0.0.1");
    const { port } = first.server;
    const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
    const load = loadOn(hosts.map((host) => `${host}:${port}`).join(","), undefined, isMuxUsed);
    await expectEvenLoad([first]);
    const others = await Promise.all(hosts.slice(1).map((host) => startReplica(host, port)));
    await expectEvenLoad([first, ...others]);
    const [second, ...leaving] = others as [Replica, ...Replica[]];
    await Promise.all(leaving.map(({ server }) => server.close(5_000)));
    await expectEvenLoad([first, second]);
    const back = await startReplica("127.0.0.3", port);
    await expectEvenLoad([first, second, back]);
    expect(await load.stop()).toEqual([]);
  });
});

test("loses no call when a replica hangs before it accepts a connection", async () => {
  const first = await startReplica("127.0.0.1");
  const sockets = new Set<Socket>();
  const deaf = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => deaf.listen(first.server.port, "127.0.0.2", resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => deaf.close(resolve));
  });
  const load = loadOn(`127.0.0.2:${first.server.port},127.0.0.1:${first.server.port}`);
  await expectEvenLoad([first]);
  expect(await load.stop()).toEqual([]);
});

test("keeps its replicas while a name cannot be resolved", async () => {
  const first = await startReplica("127.0.0.1");
  let isDown = false;
  const load = loadOn(`events.localhost:${first.server.port}`, async () => {
    if (isDown) throw new Error("no name server");
    return ["127.0.0.1"];
  });
  await expectEvenLoad([first]);
  isDown = true;
  await expectEvenLoad([first]);
  await expectEvenLoad([first]);
  expect(await load.stop()).toEqual([]);
});

import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { afterEach, expect, test } from "vitest";
import { connectGrpc } from "../src/rpc/connect.ts";
import { serveEvents } from "./serve-events.ts";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };

/**
 * Starts a line to a server. It stops forwarding a connection after `bytesMax` bytes, until `resume` is called.
 * @returns its port, and a promise that resolves when a connection has stopped
 */
async function startSlowLine(serverPort: number, bytesMax: number) {
  const stopped = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const line = createServer((near) => {
    const far = connect(serverPort, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => socket.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    far.pipe(near);
    let bytes = 0;
    near.on("data", (chunk) => {
      far.write(chunk);
      bytes += chunk.length;
      if (bytes < bytesMax) return;
      bytes = Number.NEGATIVE_INFINITY;
      near.pause();
      stopped.resolve();
      void resumed.promise.then(() => near.resume());
    });
  });
  line.listen(0, "127.0.0.1");
  await once(line, "listening");
  ends.push(() => {
    line.close();
  });
  return { port: (line.address() as AddressInfo).port, stopped: stopped.promise, resume: resumed.resolve };
}

test("responds to small calls while a large request is still being sent", async () => {
  const server = await serveEvents(async ({ type, dataJson }) => ({ event: { type, dataJson } }));
  ends.push(() => server.close(500));
  const line = await startSlowLine(server.port, 256 * 1024);
  const connection = connectGrpc({ address: `127.0.0.1:${line.port}`, tls: null });
  ends.push(() => connection.close());
  const { publishDomainEvent } = connection.service(DomainEventService);
  const call = (type: string, dataJson: string) =>
    publishDomainEvent({ type, schemaVersion: 1, dataJson }, { context });
  const dataJson = "x".repeat(1_000_000);
  const large = call("large", dataJson);
  await line.stopped;
  const small = await Promise.all(Array.from({ length: 20 }, (_, index) => call(`small.${index}`, "{}")));
  expect(small.map(({ event }) => event?.type)).toEqual(small.map((_, index) => `small.${index}`));
  line.resume();
  expect((await large).event?.dataJson).toBe(dataJson);
});

import { createServer, type Socket } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { Client, credentials, status } from "@grpc/grpc-js";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { CarryRequestSchema, type CarryResponse, CarryResponseSchema } from "@platform/proto/mux/v1/mux";
import { afterEach, describe, expect, test } from "vitest";
import type { CallContext } from "../src/rpc/call-context.ts";
import { callFrame, muxPath } from "../src/rpc/call-frame.ts";
import { connectGrpc, type GrpcConnection } from "../src/rpc/connect.ts";
import { encodeMessage } from "../src/rpc/message-bytes.ts";
import type { Guard } from "../src/rpc/server-call.ts";
import { methodPath } from "../src/rpc/service-definition.ts";
import { type Publish, serveEvents } from "./serve-events.ts";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const context: CallContext = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const method = DomainEventService.method.publishDomainEvent;
const path = methodPath(method);

async function serve(publishDomainEvent: Publish, guard?: Guard): Promise<string> {
  const server = await serveEvents(publishDomainEvent, { guard });
  ends.push(() => server.close(500));
  return `127.0.0.1:${server.port}`;
}

function connect(address: string, options: { recycleMs?: number } = {}) {
  const connection: GrpcConnection = connectGrpc({ address, tls: null, ...options });
  ends.push(() => connection.close());
  const { publishDomainEvent } = connection.service(DomainEventService);
  return (type: string, deadlineMs = Date.now() + 60_000) =>
    publishDomainEvent({ type, schemaVersion: 1, dataJson: "{}" }, { context, deadlineMs });
}

const echo: Publish = async (request) => ({ event: { type: request.type } });

describe("connections that are replaced", () => {
  test("loses and repeats no call while connections are replaced every few milliseconds", async () => {
    const seen = new Map<string, number>();
    const peers = new Set<string>();
    const address = await serve(
      async (request) => {
        seen.set(request.type, (seen.get(request.type) ?? 0) + 1);
        if (request.type.endsWith("3")) await new Promise((resolve) => setImmediate(resolve));
        return { event: { type: request.type } };
      },
      (_method, { peer }) => void peers.add(peer),
    );
    const call = connect(address, { recycleMs: 5 });
    let made = 0;
    // Sends calls until many connections have been opened and closed, up to a maximum number of calls.
    const drive = async (): Promise<void> => {
      while (peers.size < 30 && made < 500_000) {
        const type = `event.${made++}`;
        expect((await call(type)).event?.type).toBe(type);
      }
    };
    await Promise.all(Array.from({ length: 32 }, drive));
    expect(peers.size).toBeGreaterThanOrEqual(30);
    expect(seen.size).toBe(made);
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
  }, 120_000);
});

describe("messages beyond the limit", () => {
  test("refuses a request message beyond the limit without failing other calls", async () => {
    const call = connect(await serve(echo));
    const [large, small] = await Promise.allSettled([call("x".repeat(6 * 1024 * 1024)), call("small")]);
    expect(large.status).toBe("rejected");
    expect(small).toMatchObject({ status: "fulfilled", value: { event: { type: "small" } } });
  });

  test("rejects a response beyond the size limit without failing other calls of the stream", async () => {
    const call = connect(
      await serve(async ({ type }) => ({ event: { type: type === "large" ? "x".repeat(6 * 1024 * 1024) : type } })),
    );
    const [before, large, after] = await Promise.allSettled([call("before"), call("large"), call("after")]);
    expect(before).toMatchObject({ status: "fulfilled", value: { event: { type: "before" } } });
    expect(large.status).toBe("rejected");
    expect(after).toMatchObject({ status: "fulfilled", value: { event: { type: "after" } } });
    expect((await call("later")).event?.type).toBe("later");
  });
});

describe("a caller that does not read its responses", () => {
  test("pauses a caller that does not read its responses, and delivers all once it does", async () => {
    const answer = "y".repeat(20_000);
    let begun = 0;
    const address = await serve(async ({ type }) => {
      if (type !== "probe") begun += 1;
      return { event: { type: answer } };
    });
    const client = new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
    ends.push(() => client.close());
    const stream = client.makeBidiStreamRequest(
      muxPath,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => fromBinary(CarryResponseSchema, bytes),
    );
    ends.push(() => stream.cancel());
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("metadata", resolve));
    const message = encodeMessage(method.input, { type: "event", schemaVersion: 1, dataJson: "{}" });
    const total = 5_000;
    const frame = { path, message, context, metadata: {} };
    for (let first = 1; first <= total; first += 50) {
      const calls = Array.from({ length: 50 }, (_, index) => callFrame(first + index, frame, 60_000, 0));
      stream.write(encodeMessage(CarryRequestSchema, { calls }));
    }
    // A separate connection observes many event-loop ticks of the server.
    const probe = connect(address);
    for (let index = 0; index < 200; index += 1) await probe("probe");
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(2_000);

    const answered = new Set<number>();
    await new Promise<void>((resolve) => {
      stream.on("data", (response: CarryResponse) => {
        for (const { id } of response.answers) answered.add(id);
        if (answered.size === total) resolve();
      });
    });
    expect(begun).toBe(total);
  }, 60_000);
});

describe("a server that accepts no stream", () => {
  test("rejects calls beyond the queue's bound immediately when a server accepts no stream", async () => {
    const sockets = new Set<Socket>();
    const deaf = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => deaf.close(() => resolve()));
    });
    const address = `127.0.0.1:${(deaf.address() as { port: number }).port}`;
    const call = connect(address);
    const untilMs = Date.now() + 5_000;
    let refusedAtOnce = 0;
    const calls = Array.from({ length: 8_192 + 100 }, () => call("event", untilMs));
    for (const one of calls) {
      one.catch(() => {
        refusedAtOnce += 1;
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(refusedAtOnce).toBe(100);
    const outcomes = await Promise.allSettled(calls);
    const failures = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null));
    expect(failures.every((failure) => failure?.begun === false)).toBe(true);
  }, 60_000);
});

describe("a caller that sends an invalid frame", () => {
  test("ends only the stream of a caller that sends an invalid frame", async () => {
    const address = await serve(echo);
    for (const noise of [Buffer.from([0xff, 0xff, 0xff]), Buffer.from([0x0a, 0x7f, 0x01]), Buffer.alloc(64, 0x0f)]) {
      const client = new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
      const same = (bytes: Buffer): Buffer => bytes;
      const stream = client.makeBidiStreamRequest(muxPath, same, same);
      const failed = new Promise((resolve) => stream.once("error", resolve));
      stream.on("data", () => {});
      stream.write(noise);
      expect(await failed).toMatchObject({ code: status.INTERNAL });
      client.close();
    }
    expect((await connect(address)("after")).event?.type).toBe("after");
  });
});

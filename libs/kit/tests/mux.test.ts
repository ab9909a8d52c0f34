import { createServer, type Socket } from "node:net";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { afterEach, describe, expect, test } from "vitest";
import { defined } from "../src/process/defined.ts";
import type { CallContext } from "../src/rpc/call-context.ts";
import { connectGrpc } from "../src/rpc/connect.ts";
import type { ServerCall } from "../src/rpc/server-call.ts";
import { isServiceError, ServiceError } from "../src/rpc/service-error.ts";
import { type Publish, serveEvents } from "./serve-events.ts";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const context: CallContext = {
  correlationId: "correlation",
  operation: "events.publishDomainEvent",
  projectClient: { id: "client", environment: "production" },
  idempotency: { key: "order/1 #2", fingerprint: "f".repeat(64) },
};

async function serve(publishDomainEvent: Publish, options: { port?: number; isMuxServed?: boolean } = {}) {
  const server = await serveEvents(publishDomainEvent, options);
  ends.push(() => server.close(500));
  return server;
}

function connect(port: number, metadata?: Record<string, string>) {
  const connection = connectGrpc({
    address: `127.0.0.1:${port}`,
    tls: null,
    ...defined({ metadata }),
  });
  ends.push(() => connection.close());
  const { publishDomainEvent } = connection.service(DomainEventService);
  type Options = { deadlineMs?: number; signal?: AbortSignal; retryUnavailable?: boolean };
  return (type: string, options: Options = {}, dataJson = "{}") =>
    publishDomainEvent({ type, schemaVersion: 1, dataJson }, { context, ...options });
}

const echo: Publish = async (request) => ({ event: { type: request.type } });

/** Returns a promise that delays a response, and the function with which the test resolves it. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("calls on streams", () => {
  test("matches each response to its call while many calls are in flight and responses arrive in any order", async () => {
    const count = Number(process.env.MUX_ANSWERS ?? 200_000);
    const server = await serve(async (request) => {
      // Responses take different numbers of event-loop ticks, so that they arrive out of order.
      if (request.type.endsWith("7")) await new Promise((resolve) => setImmediate(resolve));
      return { event: { type: request.type } };
    });
    const call = connect(server.port);
    let next = 0;
    let crossed = 0;
    const drive = async (): Promise<void> => {
      while (next < count) {
        const type = `event.${next++}`;
        const { event } = await call(type);
        if (event?.type !== type) crossed += 1;
      }
    };
    await Promise.all(Array.from({ length: 256 }, drive));
    expect(crossed).toBe(0);
    expect(next).toBe(count);
  }, 3_600_000);

  test("transmits context and deadline like a plain call, also for messages that are too large for the stream", async () => {
    const seen: Partial<ServerCall>[] = [];
    const server = await serve(async (request, call) => {
      seen.push({ ...call });
      return echo(request, call);
    });
    const call = connect(server.port);
    await call("a");
    await call("a", {}, "x".repeat(200_000));
    for (const one of seen) {
      expect(one).toMatchObject(context);
      expect((one.deadlineMs ?? 0) - Date.now()).toBeGreaterThan(0);
      // Node's timers have a resolution of one millisecond, so the deadline must be an integer.
      expect(Number.isInteger(one.deadlineMs)).toBe(true);
    }
    expect(seen).toHaveLength(2);
  });

  test("preserves code, details and retry time of an error", async () => {
    const server = await serve(async () => {
      throw new ServiceError("stream_sequence_conflict", "taken", { details: { sequence: 4 }, retryAfterSeconds: 7 });
    });
    const error = await connect(server.port)("a").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "stream_sequence_conflict",
      message: "taken",
      details: { sequence: 4 },
      retryAfterSeconds: 7,
    });
  });

  test("falls back to plain calls if the server does not know the stream", async () => {
    const server = await serve(echo, { isMuxServed: false });
    const call = connect(server.port);
    const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => call(`event.${index}`)));
    expect(replies.map(({ event }) => event?.type)).toEqual(replies.map((_, index) => `event.${index}`));
  });

  test("sends a plain call for a message above the stream's limit", async () => {
    const server = await serve(async ({ dataJson }) => ({ event: { dataJson } }));
    const dataJson = "x".repeat(200_000);
    const { event } = await connect(server.port)("a", {}, dataJson);
    expect(event?.dataJson).toBe(dataJson);
  });

  test("ends a call at its deadline when the server never responds, and aborts its handler", async () => {
    const told = gate();
    const server = await serve(async (_request, call) => {
      call.signal.addEventListener("abort", told.open);
      return new Promise(() => {});
    });
    const startedAtMs = performance.now();
    const error = await connect(server.port)("a", { deadlineMs: Date.now() + 300 }).catch((thrown: unknown) => thrown);
    expect(isServiceError(error, "deadline_exceeded")).toBe(true);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(290);
    await told.opened;
  });

  test("rejects an aborted call immediately and aborts its handler", async () => {
    const begun = gate();
    const told = gate();
    const server = await serve(async (_request, call) => {
      call.signal.addEventListener("abort", told.open);
      begun.open();
      await told.opened;
      return {};
    });
    const abort = new AbortController();
    const failing = connect(server.port)("a", { signal: abort.signal }).catch((thrown: unknown) => thrown);
    await begun.opened;
    abort.abort();
    expect(isServiceError(await failing, "deadline_exceeded")).toBe(true);
    await told.opened;
  });
});

describe("when a stream breaks", () => {
  /** Starts a proxy that forwards bytes to a server until it cuts every connection. */
  async function proxyTo(port: number) {
    const sockets = new Set<Socket>();
    const { connect: connectTcp } = await import("node:net");
    const proxy = createServer((inbound) => {
      const outbound = connectTcp(port, "127.0.0.1");
      for (const socket of [inbound, outbound]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
      }
      inbound.pipe(outbound).pipe(inbound);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise<void>((resolve) => proxy.close(() => resolve())));
    const cut = (): void => {
      for (const socket of sockets) socket.destroy();
    };
    ends.push(cut);
    return { port: (proxy.address() as { port: number }).port, cut };
  }

  test("fails calls in flight as unavailable when the stream breaks, and resends only repeatable ones", async () => {
    const seen = new Map<string, number>();
    const allSeen = gate();
    let isCut = false;
    const server = await serve(async (request) => {
      seen.set(request.type, (seen.get(request.type) ?? 0) + 1);
      if (seen.size === 20) allSeen.open();
      if (!isCut) await new Promise(() => {});
      return { event: { type: request.type } };
    });
    const proxy = await proxyTo(server.port);
    const call = connect(proxy.port);
    const repeatable = Array.from({ length: 10 }, (_, index) => call(`read.${index}`, { retryUnavailable: true }));
    const single = Array.from({ length: 10 }, (_, index) =>
      call(`write.${index}`).catch((thrown: unknown) => thrown as ServiceError),
    );
    await allSeen.opened;
    isCut = true;
    proxy.cut();
    for (const failure of await Promise.all(single))
      expect(isServiceError(failure, "dependency_unavailable")).toBe(true);
    for (const [index, reply] of (await Promise.all(repeatable)).entries())
      expect(reply.event?.type).toBe(`read.${index}`);
    for (const [type, count] of seen) expect([type, count]).toEqual([type, type.startsWith("read") ? 2 : 1]);
  });

  test("completes accepted calls and loses no new one while the server stops", async () => {
    const first = await serve(echo);
    const call = connect(first.port);
    await call("warm");
    let isStopping = false;
    let failed = 0;
    let made = 0;
    const drive = async (): Promise<void> => {
      while (!isStopping) {
        await call(`event.${made++}`).catch(() => {
          failed += 1;
        });
      }
    };
    const driving = Promise.all(Array.from({ length: 16 }, drive));
    await new Promise((resolve) => setImmediate(resolve));
    const closing = first.close(5_000);
    // The second server binds the port that the first one has released, while the first one still responds to its
    // calls.
    await serve(echo, { port: first.port });
    await call("after", { retryUnavailable: true });
    isStopping = true;
    await driving;
    await closing;
    expect(failed).toBe(0);
  });

  test("reaches the server again after its restart", async () => {
    const first = await serve(echo);
    const call = connect(first.port);
    await call("before");
    await first.close(100);
    await serve(echo, { port: first.port });
    const { event } = await call("after", { retryUnavailable: true });
    expect(event?.type).toBe("after");
  });
});

describe("a slow server", () => {
  test("limits the calls in flight by back-pressure, and completes all of them", async () => {
    let underWay = 0;
    let most = 0;
    const release = gate();
    const server = await serve(async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await release.opened;
      underWay -= 1;
      return { event: { type: request.type } };
    });
    const call = connect(server.port);
    const calls = Array.from({ length: 6_000 }, (_, index) =>
      call(`event.${index}`, { deadlineMs: Date.now() + 60_000 }),
    );
    await expect.poll(() => most, { timeout: 15_000 }).toBeGreaterThan(1_000);
    release.open();
    const replies = await Promise.all(calls);
    expect(replies.every(({ event }, index) => event?.type === `event.${index}`)).toBe(true);
    // At most the limit of the stream is in flight, plus the batch that reached the limit.
    expect(most).toBeLessThanOrEqual(1_024 + 256);
  }, 30_000);
});

describe("a connection that is closed", () => {
  test("delivers the responses to calls that were already sent on the closing connection", async () => {
    const begun = gate();
    const release = gate();
    const server = await serve(async (request) => {
      begun.open();
      await release.opened;
      return { event: { type: request.type } };
    });
    const connection = connectGrpc({ address: `127.0.0.1:${server.port}`, tls: null });
    const { publishDomainEvent } = connection.service(DomainEventService);
    const calling = publishDomainEvent({ type: "a", schemaVersion: 1, dataJson: "{}" }, { context });
    await begun.opened;
    connection.close();
    release.open();
    expect((await calling).event?.type).toBe("a");
  });
});

import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { afterEach, expect, test, vi } from "vitest";
import { connectGrpc } from "../src/rpc/connect.ts";
import { steadyNowMs } from "../src/rpc/deadline.ts";
import { serveEvents } from "./serve-events.ts";

const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

const serveAt = (port: number) => serveEvents(async () => ({}), { port });

test.each([
  ["shared streams", true],
  ["plain calls", false],
])(
  "reconnects by %s after the clock was set back by a minute while the connection was lost",
  async (_name, isMuxUsed) => {
    const port = await freePort();
    const first = await serveAt(port);
    const connection = connectGrpc({ address: `127.0.0.1:${port}`, tls: null, isMuxUsed });
    ends.push(() => connection.close());
    const { publishDomainEvent } = connection.service(DomainEventService);
    const request = { type: "a", schemaVersion: 1, dataJson: "{}" };
    const call = () =>
      publishDomainEvent(request, { context, deadlineMs: steadyNowMs() + 10_000, retryUnavailable: true });
    await call();
    await first.close(200);
    await expect(call()).rejects.toThrow();
    // Only the time of Date changes; timers continue to run.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
    const second = await serveAt(port);
    ends.push(() => second.close(200));
    await eventually(() => call().then(() => true), { timeoutMs: 20_000 });
  },
);

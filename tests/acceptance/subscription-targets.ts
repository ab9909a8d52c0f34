import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { freePort } from "@platform/test-kit/free-port";

/** A call to which a target responded with 2xx, or was about to respond. */
export type Seen = {
  readonly id: string;
  readonly position: number;
  readonly stream: string;
  readonly atMs: number;
  /** Time at which the platform began the call, rounded down to a second, from its signature. */
  readonly begunAtMs: number;
};

export type SubscriptionTargets = {
  /** Returns the target of a subscription's calls. */
  url(subscription: number): string;
  /** Returns the events received for a subscription, oldest first. */
  seen(subscription: number): readonly Seen[];
  /** Returns the time at which an event first arrived. */
  firstSeen(eventId: string): number | undefined;
  /** Returns the number of all calls, including refused ones. */
  calls(): number;
  /** Makes the two dead targets respond again. */
  revive(): Promise<void>;
  close(): void;
};

const slowMs = 1_000;

/**
 * Starts the endpoints of 50 subscriptions. The first responds with 503, the second refuses connections, and the third takes a second; the others are
 * healthy.
 */
export async function startSubscriptionTargets(): Promise<SubscriptionTargets> {
  const arrivals = new Map<number, Seen[]>();
  const first = new Map<string, number>();
  let calls = 0;
  let isRevived = false;
  const start = (): Server =>
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        calls += 1;
        const subscription = Number(request.url?.split("/target-")[1]);
        if (subscription === 0 && !isRevived) return void response.writeHead(503).end();
        if (Number.isNaN(subscription)) return void response.end();
        const { id, position, streamid } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        const atMs = Date.now();
        if (!first.has(id)) first.set(id, atMs);
        const list = arrivals.get(subscription) ?? [];
        arrivals.set(subscription, list);
        const begunAtMs = Number(request.headers["webhook-timestamp"]) * 1_000;
        list.push({ id, position: Number(position), stream: streamid, atMs, begunAtMs });
        if (subscription === 2) setTimeout(() => response.end(), slowMs);
        else response.end();
      });
    });
  const server = start();
  const late = start();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = (server.address() as AddressInfo).port;
  const deadPort = await freePort();
  return {
    url: (subscription) => `http://127.0.0.1:${subscription === 1 ? deadPort : port}/target-${subscription}`,
    seen: (subscription) => arrivals.get(subscription) ?? [],
    firstSeen: (eventId) => first.get(eventId),
    calls: () => calls,
    revive: async () => {
      isRevived = true;
      await new Promise<void>((resolve) => late.listen(deadPort, "127.0.0.1", resolve));
    },
    close: () => {
      for (const one of [server, late]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

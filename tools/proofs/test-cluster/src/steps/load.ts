import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** Requests of one stretch of time. */
export type Tally = { readonly requests: number; readonly failures: readonly string[] };

export type Load = {
  /** What was sent since the last time this was called; requests under way count for the next stretch. */
  take(): Tally;
  /** Ids of the Domain Events whose publication the platform has acknowledged. */
  readonly acknowledged: readonly string[];
  stop(): Promise<void>;
};

const callers = 4;
/** Between two requests of a caller: 4 callers send some 25 requests a second. */
const pauseMs = 150;

/** Reads and writes through the gateway without a pause until it is stopped; a request that is not answered with a success is a failure. */
export function startLoad(baseUrl: string, credential: string): Load {
  let requests = 0;
  let failures: string[] = [];
  const acknowledged: string[] = [];
  const stopped = new AbortController();
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    try {
      const response = await fetch(`${baseUrl}/api/v1${path}`, {
        method,
        signal: AbortSignal.timeout(20_000),
        headers: {
          authorization: `Bearer ${credential}`,
          "idempotency-key": randomUUID(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      requests += 1;
      if (!response.ok) failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
      else if (path === "/domain-events") acknowledged.push((JSON.parse(text) as { data: { id: string } }).data.id);
    } catch (error) {
      requests += 1;
      const { message, cause } = error as Error;
      failures.push(`${method} ${path}: ${message} ${(cause as Error | undefined)?.message ?? ""}`);
    }
  };
  const call = async (): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      if (turn % 2 === 0) await send("GET", "/project-client");
      else await send("POST", "/domain-events", { type: "order.placed", schema_version: 1, data: { order: turn } });
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, call));
  return {
    acknowledged,
    take: () => {
      const taken = { requests, failures };
      requests = 0;
      failures = [];
      return taken;
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** The requests of one step, and how each failed request ended. */
export type Tally = { readonly requests: number; readonly failures: readonly string[] };

export type Load = {
  /** Returns the requests that have ended since the previous call. */
  take(): Tally;
  stop(): Promise<void>;
};

const callers = 4;
/** Pause between two requests of a caller. With it, 4 callers send about 25 requests per second. */
const pauseMs = 150;

/**
 * Reads and writes through the gateway until it is stopped. Any request without a successful response counts as a
 * failure.
 */
export function startLoad(baseUrl: string, credential: string): Load {
  let requests = 0;
  let failures: string[] = [];
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
      const isSuccess = response.ok && (JSON.parse(text) as { data?: object }).data !== undefined;
      if (!isSuccess) failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${method} ${path}: ${message} ${(cause as Error | undefined)?.message ?? ""}`);
    } finally {
      requests += 1;
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

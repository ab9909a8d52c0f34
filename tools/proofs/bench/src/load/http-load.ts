import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Answer } from "./answer-reader.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createLatencies, type LoadSample } from "./sample.ts";

/** A load over HTTP/1.1, either at a fixed rate or as fast as responses arrive. */
export type HttpLoad = {
  /** Ports of this machine over which the connections are spread. */
  readonly ports: readonly number[];
  readonly path: string;
  /** Body that is sent by POST; null sends GET requests. */
  readonly body: string | null;
  /** Bodies to send instead of `body`, each once. The load ends when all have a response. */
  readonly bodies?: readonly string[];
  /** Credentials to use round robin; none sends no Authorization header. */
  readonly credentials: readonly string[];
  /**
   * Prefix of the Idempotency-Keys, of which each request has its own. True uses a random prefix, and null sends no
   * keys.
   */
  readonly keyPrefix: string | true | null;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Requests per second over all connections. If null, each connection sends its next request when it has received the
   * response.
   */
  readonly perSecond: number | null;
};

/**
 * Result of a load. Latencies are in milliseconds. For a load at a fixed rate, a latency starts when the request was
 * due, so it includes the wait for a connection (coordinated omission). A request that found no connection before the
 * end counts as `unsent`, with its wait so far.
 */
export type HttpSample = LoadSample & {
  readonly good: number;
  readonly goodP99Ms: number;
  /** Number of responses with 429 or 503. */
  readonly shed: number;
  readonly shedWithoutRetryAfter: number;
  /** Number of successful responses in each second from the start. */
  readonly goodBySecond: readonly number[];
  /** Latencies of shed requests, by the second in which the response arrived. */
  readonly shedMsBySecond: readonly (readonly number[])[];
  /** 99th percentile of the event-loop delay in the load generator. It is part of the latencies. */
  readonly ownDelayP99Ms: number;
};

/** Time after the end during which due requests are still sent. */
export const graceMs = 1_000;
/** Further time during which responses are awaited. */
const lingerMs = 10_000;
/** A timer may fire up to this late. Requests that are due by then are sent with the next ones. */
const timerMs = 1;

/** Runs one load from this process with plain sockets, so that the generator costs far less than what it measures. */
export async function runHttpLoad(load: HttpLoad): Promise<HttpSample> {
  const { perSecond, durationMs } = load;
  const nextRequest = requestWriter(load);
  const latencies = createLatencies();
  const goodLatencies = createLatencies();
  const refusals: Record<string, number> = {};
  const counts = { good: 0, shed: 0, shedWithoutRetryAfter: 0 };
  const goodBySecond = new Array<number>(Math.ceil(durationMs / 1_000)).fill(0);
  const shedMsBySecond: number[][] = goodBySecond.map(() => []);
  /** Start time of the request on each connection. */
  const begunAtMs = new Map<Connection, number>();
  /**
   * Free connections in the order in which they became free, so that each is used again before its server closes it as
   * idle.
   */
  const free: Connection[] = [];
  const total = perSecond === null ? Number.POSITIVE_INFINITY : Math.floor((perSecond * durationMs) / 1_000);
  let sent = 0;
  let startedAtMs = 0;
  let isOver = false;
  let answers = 0;
  let finish = (): void => {};

  const dueAtMs = (index: number): number =>
    perSecond === null ? performance.now() : startedAtMs + (index / perSecond) * 1_000;

  /** Sends the due requests while connections are free. */
  const sendDue = (): void => {
    for (const now = performance.now(); free.length > 0 && !isOver && sent < total; sent += 1) {
      const due = dueAtMs(sent);
      if (due > now + timerMs) return;
      const request = nextRequest();
      const connection = request === null ? undefined : free.shift();
      if (request === null || connection === undefined) {
        isOver = true;
        break;
      }
      // The latency of a request that is sent slightly early starts when it is sent.
      begunAtMs.set(connection, Math.min(due, now));
      connection.send(request);
    }
    if (begunAtMs.size === 0 && (isOver || sent >= total)) finish();
  };
  const count = (name: string): void => {
    refusals[name] = (refusals[name] ?? 0) + 1;
  };
  const endOf = (connection: Connection): { ms: number; second: number } => {
    const now = performance.now();
    const ms = now - (begunAtMs.get(connection) ?? now);
    begunAtMs.delete(connection);
    answers += 1;
    latencies.add(ms);
    return { ms, second: Math.floor((now - startedAtMs) / 1_000) };
  };
  const answered = (connection: Connection, { status, hasRetryAfter }: Answer): void => {
    const { ms, second } = endOf(connection);
    if (status >= 200 && status < 300) {
      counts.good += 1;
      goodLatencies.add(ms);
      goodBySecond[second] = (goodBySecond[second] ?? 0) + 1;
    } else count(`${status}`);
    if (status === 429 || status === 503) {
      counts.shed += 1;
      if (!hasRetryAfter) counts.shedWithoutRetryAfter += 1;
      shedMsBySecond[second] ??= [];
      shedMsBySecond[second].push(ms);
    }
    free.push(connection);
    sendDue();
  };
  const lost = (connection: Connection): void => {
    endOf(connection);
    count("connection lost");
    // Does not immediately connect again to a server that is gone.
    setTimeout(() => {
      free.push(connection);
      sendDue();
    }, 10);
  };

  const all = await openAll(load, (port) => openConnection(port, { answered, lost }));
  free.push(...all);
  const ownDelay = monitorEventLoopDelay({ resolution: timerMs });
  ownDelay.enable();
  startedAtMs = performance.now();
  const pace = setInterval(sendDue, timerMs);
  const end = setTimeout(
    () => {
      isOver = true;
      if (perSecond !== null && sent < total) refusals.unsent = total - sent;
      for (const now = performance.now(); sent < total && perSecond !== null; sent += 1)
        latencies.add(now - dueAtMs(sent));
      sendDue();
    },
    durationMs + (perSecond === null ? 0 : graceMs),
  );
  let last: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    finish = resolve;
    last = setTimeout(resolve, durationMs + graceMs + lingerMs);
    sendDue();
  });
  for (const timer of [pace, end, last]) clearTimeout(timer);
  ownDelay.disable();
  const elapsedMs = performance.now() - startedAtMs;
  for (const connection of all) connection.close();
  if (begunAtMs.size > 0) refusals["no answer"] = begunAtMs.size;
  for (const sinceMs of begunAtMs.values()) latencies.add(startedAtMs + elapsedMs - sinceMs);
  return {
    ...latencies.sample(elapsedMs, refusals),
    ...counts,
    count: answers,
    perSecond: answers / (elapsedMs / 1_000),
    goodP99Ms: goodLatencies.quantile(0.99),
    goodBySecond,
    shedMsBySecond,
    ownDelayP99Ms: ownDelay.percentile(99) / 1e6,
  };
}

/** Formats complete requests. Null if there is only one body. */
function requestWriter({ path, body, bodies, credentials, keyPrefix }: HttpLoad): () => string | null {
  const isPost = body !== null || bodies !== undefined;
  const start = `${isPost ? "POST" : "GET"} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
  const starts = credentials.map((credential) => `${start}authorization: Bearer ${credential}\r\n`);
  const ending = (text: string): string =>
    isPost
      ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${Buffer.from(text).toString("latin1")}`
      : "\r\n";
  const end = ending(body ?? "");
  const prefix = keyPrefix === true ? randomBytes(8).toString("hex") : keyPrefix;
  let index = -1;
  return () => {
    index += 1;
    if (bodies !== undefined && index >= bodies.length) return null;
    const key = prefix === null ? "" : `idempotency-key: ${prefix}-${index}\r\n`;
    return (starts[index % starts.length] ?? start) + key + (bodies === undefined ? end : ending(bodies[index] ?? ""));
  };
}

/**
 * Opens all connections before the load begins, a few at a time. If more connections than a listener's backlog were opened concurrently, some would wait for
 * seconds.
 */
async function openAll(
  { ports, connections }: HttpLoad,
  open: (port: number) => Promise<Connection>,
): Promise<Connection[]> {
  const all: Connection[] = [];
  while (all.length < connections) {
    const length = Math.min(64, connections - all.length);
    const from = all.length;
    all.push(...(await Promise.all(Array.from({ length }, (_, at) => open(ports[(from + at) % ports.length] ?? 0)))));
  }
  return all;
}

import { once } from "node:events";
import { type Answer, type Caller, createCaller } from "./overload-caller.ts";

/** Requests of one generator process to one gateway: at a pace whatever becomes of those before, or as fast as answers come. */
export type OverloadLoad = {
  readonly port: number;
  readonly credentials: readonly string[];
  /** Start of every Idempotency-Key. */
  readonly run: string;
  readonly connections: number;
  /** Null: each connection sends its next request when it has its answer. */
  readonly perSecond: number | null;
  readonly durationMs: number;
};

/** What one process saw. Times are in milliseconds. */
export type OverloadSample = {
  readonly sent: number;
  readonly good: number;
  readonly shed: number;
  readonly shedWithoutRetryAfter: number;
  readonly failed: number;
  /** How often by status, or what became of the connection. */
  readonly failures: Readonly<Record<string, number>>;
  /** Goodput of each second from the beginning. */
  readonly goodBySecond: readonly number[];
  /** Due, but not sent, because every connection still waited for an answer. */
  readonly unsent: number;
  /** Time from a request's last byte written to its answer read, of those that were shed, by the second the answer came in. */
  readonly shedMsBySecond: readonly (readonly number[])[];
  readonly goodMs: readonly number[];
  /** How late this process was when it sent each request of a pace: as late as it is with what it reads then. */
  readonly ownDelayMs: readonly number[];
};

const tickMs = 2;
/** How long answers are waited for after the last request. */
const lingerMs = 10_000;

const body = '{"type":"load.happened","schema_version":1,"data":{"key":"overload"}}';

/**
 * Runs one load from this process. What it costs to send and to read is in every time it measures, and comes in bursts when it is much: so a
 * process is kept for all loads, the first of which have it compiled.
 */
export async function runOverloadLoad(load: OverloadLoad): Promise<OverloadSample> {
  const counts = { sent: 0, good: 0, shed: 0, shedWithoutRetryAfter: 0, failed: 0, unsent: 0 };
  const goodBySecond = new Array<number>(Math.ceil(load.durationMs / 1_000)).fill(0);
  const failures: Record<string, number> = {};
  const shedMsBySecond: number[][] = goodBySecond.map(() => []);
  const goodMs: number[] = [];
  const ownDelayMs: number[] = [];
  /** In the order they became so: each is used again before its server gives up waiting for it. */
  const idle: Caller[] = [];
  const requests = load.credentials.map((credential) => requestWriter(load, credential));
  let startedAtMs = 0;
  let open = 0;
  let isOver = false;

  const send = (caller: Caller): void => {
    counts.sent += 1;
    open += 1;
    caller.send(requests[counts.sent % requests.length]?.(counts.sent) ?? "");
  };
  const ended = (caller: Caller): void => {
    open -= 1;
    if (load.perSecond === null && !isOver) send(caller);
    else idle.push(caller);
  };
  const fail = (how: string, times = 1): void => {
    counts.failed += times;
    failures[how] = (failures[how] ?? 0) + times;
  };
  const answered = (caller: Caller, { status, hasRetryAfter, ms }: Answer): void => {
    const second = Math.floor((performance.now() - startedAtMs) / 1_000);
    if (status === "200" || status === "201") {
      counts.good += 1;
      goodBySecond[second] = (goodBySecond[second] ?? 0) + 1;
      goodMs.push(ms);
    } else if (status === "429" || status === "503") {
      counts.shed += 1;
      shedMsBySecond[second] ??= [];
      shedMsBySecond[second].push(ms);
      if (!hasRetryAfter) counts.shedWithoutRetryAfter += 1;
    } else fail(status);
    ended(caller);
  };
  const lost = (caller: Caller): void => {
    fail("connection closed");
    setTimeout(() => ended(caller), 10);
  };

  const callers = await openCallers(load.connections, () => createCaller(load.port, { answered, lost }));
  startedAtMs = performance.now();
  for (const caller of callers) {
    if (load.perSecond === null) send(caller);
    else idle.push(caller);
  }

  return new Promise((resolve) => {
    let due = 0;
    let lastMs = startedAtMs;
    const timer = setInterval(() => {
      const now = performance.now();
      if (!isOver && load.perSecond !== null) {
        for (due += ((now - lastMs) / 1_000) * load.perSecond; due >= 1; due -= 1) {
          const caller = idle.shift();
          ownDelayMs.push(Math.max(0, now - lastMs - tickMs));
          if (caller === undefined) counts.unsent += 1;
          else send(caller);
        }
      }
      lastMs = now;
      isOver = now - startedAtMs >= load.durationMs;
      if (!isOver || (open > 0 && now - startedAtMs < load.durationMs + lingerMs)) return;
      clearInterval(timer);
      if (open > 0) fail("no answer", open);
      for (const caller of callers) caller.close();
      resolve({ ...counts, failures, goodBySecond, shedMsBySecond, goodMs, ownDelayMs });
    }, tickMs);
  });
}

/** Writes a client's requests; only the Idempotency-Key differs between them. */
function requestWriter({ run }: OverloadLoad, credential: string): (count: number) => string {
  const start = `POST /api/v1/domain-events HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${credential}\r\nidempotency-key: ${run}-`;
  const end = `\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return (count) => start + count + end;
}

/** Connections that are open before the load begins, a few at a time: more than a listener's backlog at once would wait for seconds. */
async function openCallers(count: number, open: () => Caller): Promise<Caller[]> {
  const callers: Caller[] = [];
  while (callers.length < count) {
    const opening = Array.from({ length: Math.min(64, count - callers.length) }, open);
    callers.push(...opening);
    await Promise.all(opening.map(({ socket }) => once(socket, "connect")));
  }
  return callers;
}

process.on("message", (load: OverloadLoad) => {
  void runOverloadLoad(load).then((sample) => process.send?.(sample));
});
process.on("disconnect", () => process.exit(0));

import { once } from "node:events";
import { connect, type Socket } from "node:net";

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
  /** Lateness of this process's own timer: what it adds to each time above. */
  readonly ownDelayMs: readonly number[];
};

const tickMs = 2;
/** How long answers are waited for after the last request. */
const lingerMs = 10_000;

const body = '{"type":"load.happened","schema_version":1,"data":{"key":"overload"}}';

export async function runOverloadLoad(load: OverloadLoad): Promise<OverloadSample> {
  const sockets = await openSockets(load.port, load.connections);
  const counts = { sent: 0, good: 0, shed: 0, shedWithoutRetryAfter: 0, failed: 0, unsent: 0 };
  const goodBySecond = new Array<number>(Math.ceil(load.durationMs / 1_000)).fill(0);
  const failures: Record<string, number> = {};
  const shedMsBySecond: number[][] = goodBySecond.map(() => []);
  const goodMs: number[] = [];
  const ownDelayMs: number[] = [];
  /** In the order they became so: each is used again before its server gives up waiting for it. */
  const idle: Connection[] = [];
  const startedAtMs = performance.now();
  let open = 0;
  let isOver = false;

  type Connection = { socket: Socket; text: string; sentAtMs: number; isBusy: boolean };

  const ended = (connection: Connection): void => {
    connection.isBusy = false;
    open -= 1;
    if (load.perSecond === null && !isOver) send(connection);
    else idle.push(connection);
  };
  const fail = (how: string, times = 1): void => {
    counts.failed += times;
    failures[how] = (failures[how] ?? 0) + times;
  };
  const answered = (connection: Connection): void => {
    const { text, sentAtMs } = connection;
    const now = performance.now();
    const ms = now - sentAtMs;
    const second = Math.floor((now - startedAtMs) / 1_000);
    const status = text.slice(9, 12);
    connection.text = "";
    if (status === "200" || status === "201") {
      counts.good += 1;
      goodBySecond[second] = (goodBySecond[second] ?? 0) + 1;
      goodMs.push(ms);
    } else if (status === "429" || status === "503") {
      counts.shed += 1;
      shedMsBySecond[second] ??= [];
      shedMsBySecond[second].push(ms);
      if (!/\r\nretry-after: \d/i.test(text)) counts.shedWithoutRetryAfter += 1;
    } else fail(status);
    const closes = /\r\nconnection: close/i.test(text);
    if (closes) reopen(connection);
    ended(connection);
  };
  const read = (connection: Connection, chunk: string): void => {
    // What a server says unasked is that it ends the connection.
    if (!connection.isBusy) return;
    connection.text += chunk;
    const end = connection.text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(connection.text)?.[1] ?? 0);
    if (connection.text.length >= end + 4 + length) answered(connection);
  };
  const attach = (connection: Connection): void => {
    const { socket } = connection;
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => read(connection, String(chunk)));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (connection.socket !== socket) return;
      reopen(connection);
      if (!connection.isBusy) return;
      fail("connection closed");
      connection.text = "";
      setTimeout(() => ended(connection), 10);
    });
  };
  const reopen = (connection: Connection): void => {
    if (isOver) return;
    const { socket } = connection;
    connection.socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true });
    socket.destroy();
    attach(connection);
  };
  const send = (connection: Connection): void => {
    counts.sent += 1;
    open += 1;
    connection.isBusy = true;
    connection.sentAtMs = performance.now();
    const credential = load.credentials[counts.sent % load.credentials.length];
    connection.socket.write(
      `POST /api/v1/domain-events HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${credential}\r\nidempotency-key: ${load.run}-${counts.sent}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      "latin1",
    );
  };

  for (const socket of sockets) {
    const connection: Connection = { socket, text: "", sentAtMs: 0, isBusy: false };
    attach(connection);
    if (load.perSecond === null) send(connection);
    else idle.push(connection);
  }

  return new Promise((resolve) => {
    let due = 0;
    let lastMs = startedAtMs;
    const timer = setInterval(() => {
      const now = performance.now();
      ownDelayMs.push(Math.max(0, now - lastMs - tickMs));
      if (!isOver && load.perSecond !== null) {
        for (due += ((now - lastMs) / 1_000) * load.perSecond; due >= 1; due -= 1) {
          const connection = idle.shift();
          if (connection === undefined) counts.unsent += 1;
          else send(connection);
        }
      }
      lastMs = now;
      isOver = now - startedAtMs >= load.durationMs;
      if (!isOver || (open > 0 && now - startedAtMs < load.durationMs + lingerMs)) return;
      clearInterval(timer);
      if (open > 0) fail("no answer", open);
      for (const { socket } of idle) socket.destroy();
      resolve({ ...counts, failures, goodBySecond, shedMsBySecond, goodMs, ownDelayMs });
    }, tickMs);
  });
}

/** Connections that are open before the load begins, a few at a time: more than a listener's backlog at once would wait for seconds. */
async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const opening = Array.from({ length: Math.min(64, count - sockets.length) }, () => {
      const socket = connect({ host: "127.0.0.1", port, noDelay: true });
      sockets.push(socket);
      return once(socket, "connect");
    });
    await Promise.all(opening);
  }
  return sockets;
}

process.on("message", (load: OverloadLoad) => {
  void runOverloadLoad(load).then((sample) => process.send?.(sample, () => process.exit(0)));
});
process.on("disconnect", () => process.exit(0));

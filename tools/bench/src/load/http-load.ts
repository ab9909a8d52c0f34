import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { createAnswerReader } from "./answer-reader.ts";
import { createLatencies, type LoadSample } from "./sample.ts";

/** A closed-loop HTTP load: each connection sends its next request when the answer to the last one is whole. */
export type HttpLoad = {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Sends each of these once, in place of `body`, and ends when all are sent. */
  readonly bodies?: readonly string[];
  /** Sends another Idempotency-Key with each request, this one with all, or none. */
  readonly idempotencyKey: "fresh" | "none" | { readonly fixed: string };
  readonly connections: number;
  readonly durationMs: number;
  /** Open-loop pace for all connections together; without it each connection goes as fast as it can. */
  readonly perSecond?: number;
};

/** Runs one load from this process with plain sockets, so that the generator costs far less than what it measures. */
export async function runHttpLoad(load: HttpLoad): Promise<LoadSample> {
  const latencies = createLatencies();
  const refusals = new Map<string, number>();
  const nextRequest = requestWriter(load);
  let isOver = false;
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + load.durationMs;

  const drive = (index: number): Promise<void> =>
    new Promise((resolve) => {
      const paceMs = load.perSecond === undefined ? 0 : (load.connections / load.perSecond) * 1_000;
      let dueAtMs = startedAtMs + (paceMs * index) / load.connections;
      let socket: Socket | null = null;
      let sentAtMs = 0;
      let failures = 0;
      const send = (): void => {
        const request = isOver || performance.now() >= endsAtMs ? null : nextRequest();
        if (request === null) {
          isOver = true;
          socket?.destroy();
          resolve();
          return;
        }
        sentAtMs = performance.now();
        socket?.write(request, "latin1");
      };
      const sendWhenDue = (): void => {
        if (paceMs > 0) dueAtMs += paceMs;
        const waitMs = paceMs > 0 ? dueAtMs - performance.now() : 0;
        if (waitMs <= 1) send();
        else setTimeout(send, waitMs);
      };
      const open = (): void => {
        const reader = createAnswerReader((status, closes) => {
          latencies.add(performance.now() - sentAtMs);
          if (status < 200 || status > 299) refusals.set(`${status}`, (refusals.get(`${status}`) ?? 0) + 1);
          if (!closes) return sendWhenDue();
          socket?.removeAllListeners();
          socket?.destroy();
          open();
        });
        socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true }, sendWhenDue);
        socket.on("data", reader);
        const failed = (): void => {
          socket?.removeAllListeners();
          refusals.set("connection", (refusals.get("connection") ?? 0) + 1);
          failures += 1;
          if (failures > 100) resolve();
          else setTimeout(open, 10);
        };
        socket.on("error", failed);
        socket.on("end", failed);
      };
      open();
    });

  await Promise.all(Array.from({ length: load.connections }, (_, index) => drive(index)));
  return latencies.sample(performance.now() - startedAtMs, Object.fromEntries(refusals));
}

/** Writes each request whole; only the Idempotency-Key or the body differs between them. Null when there is no other body. */
function requestWriter(load: HttpLoad): () => string | null {
  const { method, path, headers, body, bodies, idempotencyKey } = load;
  if (bodies !== undefined) return bodiesWriter(load, bodies);
  const all: Record<string, string> = { host: `127.0.0.1:${load.port}`, ...headers };
  if (body !== null) {
    all["content-type"] = "application/json";
    all["content-length"] = String(Buffer.byteLength(body));
  }
  const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
  const start = head.join("\r\n");
  const end = `\r\n\r\n${body ?? ""}`;
  if (idempotencyKey === "none") return () => start + end;
  if (idempotencyKey !== "fresh") return () => `${start}\r\nidempotency-key: ${idempotencyKey.fixed}${end}`;
  const run = randomBytes(8).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${start}\r\nidempotency-key: ${run}-${count}${end}`;
  };
}

function bodiesWriter({ port, method, path, headers }: HttpLoad, bodies: readonly string[]): () => string | null {
  const all = { host: `127.0.0.1:${port}`, ...headers, "content-type": "application/json" };
  const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
  const start = head.join("\r\n");
  let next = 0;
  return () => {
    const body = bodies[next];
    next += 1;
    return body === undefined ? null : `${start}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}

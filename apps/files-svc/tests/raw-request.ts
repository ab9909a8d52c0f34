import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "@platform/test-kit/eventually";

/** A hand-written request, for input that no HTTP client would send. */
export type RawRequest = {
  readonly socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Waits until the received text matches. */
  until(pattern: RegExp): Promise<string>;
  /** True if the other side has closed the connection. */
  isClosed(): boolean;
};

/** Connects and sends the head of a PUT. The caller sends the body. */
export async function beginPut(baseUrl: string, path: string, headers: Record<string, string>): Promise<RawRequest> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let text = "";
  let closed = false;
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("close", () => {
    closed = true;
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`PUT ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  return {
    socket,
    received: () => text,
    until: (pattern) => eventually(() => (pattern.test(text) ? text : null), { what: `answer ${pattern}` }),
    isClosed: () => closed,
  };
}

import { createServer, type Server, type Socket } from "node:net";
import { dispatch } from "./commands/dispatch.ts";
import type { Engine } from "./engine.ts";
import { encodeReply, messageBytesMax, parseRequest } from "./wire.ts";

/** Serves the MongoDB wire protocol. Commands begin in the order they arrive; the reply to a write waits for its commit. */
export function createWireServer(engine: Engine): { server: Server; sockets: Set<Socket> } {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const split = messageSplitter((message) => answer(engine, socket, message));
    socket.on("data", (chunk) => {
      try {
        split(chunk as Buffer);
      } catch {
        // MongoDB also closes a connection on which a malformed message arrives.
        socket.destroy();
      }
    });
  });
  return { server, sockets };
}

function answer(engine: Engine, socket: Socket, message: Buffer): void {
  const request = parseRequest(message);
  const { reply, isWrite } = dispatch(engine, request.command);
  if (!request.expectsReply) return;
  const write = (bytes: Buffer) => {
    if (!socket.destroyed) socket.write(bytes);
  };
  const send = (given: Awaited<typeof reply>) => {
    const bytes = encodeReply(request, given);
    if (isWrite) engine.journal.committed(() => write(bytes));
    else write(bytes);
  };
  if (reply instanceof Promise) void reply.then(send);
  else send(reply);
}

/** Splits a stream of chunks into messages by the length at the start of each message. */
function messageSplitter(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let needed = 4;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < needed) return;
    let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    while (buffer.length >= 4) {
      const length = buffer.readInt32LE(0);
      if (length < 16 || length > messageBytesMax) throw new Error("Malformed message length");
      needed = length;
      if (buffer.length < length) break;
      onMessage(buffer.subarray(0, length));
      buffer = buffer.subarray(length);
      needed = 4;
    }
    chunks = buffer.length > 0 ? [buffer] : [];
    bytes = buffer.length;
  };
}

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Uploads may last longer than the time Node gives a whole request; files-svc holds them to a pace of its own. */
export type LongUploads = {
  /** Excuses this request from the server's request timeout. */
  begin(request: IncomingMessage): void;
  /** Is this error only that timeout, on a connection that carries an upload? Then the connection goes on. */
  excuses(error: Error & { code?: string }, socket: Duplex): boolean;
};

export function createLongUploads(): LongUploads {
  const sockets = new WeakSet<Duplex>();
  return {
    begin: (request) => {
      const { socket } = request;
      sockets.add(socket);
      request.once("close", () => sockets.delete(socket));
    },
    excuses: (error, socket) => error.code === "ERR_HTTP_REQUEST_TIMEOUT" && sockets.has(socket),
  };
}

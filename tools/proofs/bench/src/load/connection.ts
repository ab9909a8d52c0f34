import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, createAnswerReader } from "./answer-reader.ts";

/** A connection that carries one request at a time. It is opened again whenever the server closes it. */
export type Connection = {
  /** Sends a complete request, given as characters of one byte each. */
  send(request: string): void;
  close(): void;
};

type Events = {
  answered(connection: Connection, answer: Answer): void;
  /** Called if the connection ended, or could not be opened, before the response. */
  lost(connection: Connection): void;
};

/** Read buffer that all connections share. Each read is processed before the next one. */
const buffer = Buffer.alloc(65_536);

/** Opens a connection to a port of this machine. It reads without a stream, because a load must use little CPU. */
export async function openConnection(port: number, events: Events): Promise<Connection> {
  let read = createAnswerReader();
  let isBusy = false;
  let isClosed = false;

  const open = (): Socket => {
    const opened = connect({
      host: "127.0.0.1",
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (bytes) => {
          const answer = isBusy && opened === socket ? read(buffer.toString("latin1", 0, bytes)) : null;
          if (answer !== null) {
            isBusy = false;
            if (answer.closes) reopen();
            events.answered(connection, answer);
          }
          return true;
        },
      },
    });
    opened.on("error", () => {});
    opened.on("close", () => {
      if (opened !== socket || isClosed) return;
      const wasBusy = isBusy;
      isBusy = false;
      // A connection that was idle is opened again only for the next request. Otherwise it would be opened over and
      // over while the server is gone.
      if (wasBusy) events.lost(connection);
    });
    return opened;
  };
  const reopen = (): void => {
    const ended = socket;
    read = createAnswerReader();
    socket = open();
    ended.destroy();
  };
  const connection: Connection = {
    send: (request) => {
      if (socket.destroyed) reopen();
      isBusy = true;
      socket.write(request, "latin1");
    },
    close: () => {
      isClosed = true;
      socket.destroy();
    },
  };
  let socket = open();
  await once(socket, "connect").catch(() => {});
  return connection;
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, createAnswerReader } from "./answer-reader.ts";

/** A connection with one request at a time, opened again whenever its server ends it. */
export type Connection = {
  /** Sends a whole request, in characters of one byte each. */
  send(request: string): void;
  close(): void;
};

type Events = {
  answered(connection: Connection, answer: Answer): void;
  /** The connection ended, or could not be opened, before the response. */
  lost(connection: Connection): void;
};

/** Shared read buffer of all connections; each read is processed before the next. */
const buffer = Buffer.alloc(65_536);

/** Opens a connection to a port of this machine. What it reads passes through no stream: a load has to cost little. */
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
      // One that was idle is opened at the next request: a server that is gone would have it opened over and over.
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

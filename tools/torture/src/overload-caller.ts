import { connect, type Socket } from "node:net";

/** An answer as far as a load is interested in it. */
export type Answer = {
  readonly status: string;
  readonly hasRetryAfter: boolean;
  /** From the request's last byte written to the answer read, in milliseconds. */
  readonly ms: number;
};

/** One connection that is opened anew whenever its server ends it, with one request at a time. */
export type Caller = {
  /** The first of its connections. */
  readonly socket: Socket;
  /** Sends a whole request, in characters of one byte each. */
  send(request: string): void;
  close(): void;
};

type CallerEvents = {
  answered(caller: Caller, answer: Answer): void;
  /** The connection ended instead of the answer. */
  lost(caller: Caller): void;
};

/** What is read of any of the connections; it is looked at before the next is. */
const chunk = Buffer.alloc(65_536);

/** Opens a connection to a port of this machine. What it reads is not kept, and passes through no stream: a load is to cost little. */
export function createCaller(port: number, events: CallerEvents): Caller {
  let text = "";
  let isBusy = false;
  let isClosed = false;
  let sentAtMs = 0;

  const read = (bytes: number): boolean => {
    // What a server says unasked is that it ends the connection.
    if (!isBusy) return true;
    text += chunk.toString("latin1", 0, bytes);
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return true;
    const head = text.slice(0, end + 2).toLowerCase();
    const length = Number(field(head, "content-length") ?? 0);
    if (text.length < end + 4 + length) return true;
    const ms = performance.now() - sentAtMs;
    isBusy = false;
    text = "";
    if (field(head, "connection") === "close") reopen();
    events.answered(caller, {
      status: head.slice(9, 12),
      hasRetryAfter: /^\d+$/.test(field(head, "retry-after") ?? ""),
      ms,
    });
    return true;
  };
  const open = (): Socket => {
    const opened = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer: chunk, callback: read } });
    opened.on("error", () => {});
    opened.on("close", () => {
      if (opened !== socket || isClosed) return;
      const wasBusy = isBusy;
      isBusy = false;
      text = "";
      reopen();
      if (wasBusy) events.lost(caller);
    });
    return opened;
  };
  const reopen = (): void => {
    const ended = socket;
    socket = open();
    ended.destroy();
  };

  let socket = open();
  const caller: Caller = {
    socket,
    send: (request) => {
      isBusy = true;
      sentAtMs = performance.now();
      socket.write(request, "latin1");
    },
    close: () => {
      isClosed = true;
      socket.destroy();
    },
  };
  return caller;
}

/** The value of a field in a head in lower case, up to the end of its line. */
function field(head: string, name: string): string | undefined {
  const at = head.indexOf(`\r\n${name}: `);
  if (at < 0) return undefined;
  const from = at + name.length + 4;
  return head.slice(from, head.indexOf("\r\n", from));
}

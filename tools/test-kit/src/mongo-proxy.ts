import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { retryWrite } from "@platform/kit/store/documents";
import { BSON } from "mongodb";

/** A response of the server, or of this proxy in its place. */
type Reply = Record<string, unknown>;

/** A failure that the proxy returns instead of forwarding a command. */
export type InjectedFailure = {
  /** Name of the command, for example "insert". */
  readonly command: string;
  /**
   * Name of the collection; by default any collection, including one that a job of the process uses at the same time.
   */
  readonly collection?: string;
  readonly code: number;
  readonly message: string;
  /** How many commands fail. */
  readonly times: number;
  /** True if the server executes the command nevertheless. Default false. */
  readonly isDone?: boolean;
};

/** A proxy before a server of MongoDB's protocol. */
export type MongoProxy = {
  readonly uri: string;
  /** Fails the next commands of a name, replacing any earlier instruction. */
  fail(failure: InjectedFailure): void;
  /** Returns the number of failures since the last `fail`. */
  failures(): number;
  /** Calls the listener for each command of a name, or for each of any name (`*`), until the returned function is called. */
  listen(command: string, onCommand: (body: Reply) => void): () => void;
  close(): Promise<void>;
};

const headerBytes = 16;
const opMsg = 2013;
const sequenceKind = 1;
const duplicateCode = Buffer.from([0xf8, 0x2a, 0, 0]);

/**
 * Starts a proxy in front of the server of a MongoDB address. It reduces every duplicate-key error to its code and a
 * text like that of DocumentDB, as a server other than MongoDB may respond, and makes commands fail on request.
 */
export async function startMongoProxy(targetUri: string): Promise<MongoProxy> {
  await refillRetryBudget();
  const target = new URL(targetUri);
  const sockets = new Set<Socket>();
  let wanted: InjectedFailure | null = null;
  let failures = 0;
  const listeners = new Map<string, (body: Reply) => void>();

  /** Returns the failure that a command must get, and counts it. */
  const failureOf = (command: string, message: Buffer): InjectedFailure | null => {
    if (wanted === null || wanted.command !== command || failures >= wanted.times) return null;
    if (wanted.collection !== undefined && bodyOf(message)[command] !== wanted.collection) return null;
    failures += 1;
    return wanted;
  };

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(target.port || 27017), host: target.hostname, noDelay: true });
    /** Executed commands whose responses are replaced, by request id. */
    const replaced = new Map<number, InjectedFailure>();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on(
      "data",
      messageSplitter((message) => {
        const command = commandOf(message);
        listeners.get(command)?.(bodyOf(message));
        // Messages of earlier protocols, such as a handshake, contain no command name.
        if (command !== "") listeners.get("*")?.(bodyOf(message));
        const failure = failureOf(command, message);
        const id = message.readInt32LE(4);
        if (failure === null || failure.isDone === true) {
          if (failure !== null) replaced.set(id, failure);
          upstream.write(message);
        } else client.write(replyTo(id, errorOf(failure)));
      }),
    );
    upstream.on(
      "data",
      messageSplitter((message) => {
        const id = message.readInt32LE(8);
        const failure = replaced.get(id);
        replaced.delete(id);
        client.write(failure === undefined ? withoutWording(message) : replyTo(id, errorOf(failure)));
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const uri = new URL(targetUri);
  uri.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The connection is direct, because a replica set would return its own address and the driver would bypass this proxy.
  uri.searchParams.delete("replicaSet");
  uri.searchParams.set("directConnection", "true");
  if (uri.pathname === "") uri.pathname = "/";
  return {
    uri: uri.href,
    fail: (failure) => {
      wanted = failure;
      failures = 0;
    },
    failures: () => failures,
    listen: (command, onCommand) => {
      listeners.set(command, onCommand);
      return () => listeners.delete(command);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const errorOf = ({ code, message }: InjectedFailure): Reply => ({ ok: 0, code, errmsg: message });

/** Returns the command of an OP_MSG, which is the name of the first element of its body. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg || message[headerBytes + 4] !== 0) return "";
  const at = headerBytes + 10;
  return message.toString("utf8", at, message.indexOf(0, at));
}

/** Returns the body of an OP_MSG, which is its first section, with the documents of the following sections. */
function bodyOf(message: Buffer): Reply {
  const read = (at: number): Reply =>
    BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), { promoteValues: true }) as Reply;
  const begin = headerBytes + 5;
  const body = read(begin);
  for (let at = begin + message.readInt32LE(begin); message[at] === sequenceKind; ) {
    const end = at + 1 + message.readInt32LE(at + 1);
    const nameEnd = message.indexOf(0, at + 5);
    const documents: Reply[] = [];
    for (let next = nameEnd + 1; next < end; next += message.readInt32LE(next)) documents.push(read(next));
    body[message.toString("utf8", at + 5, nameEnd)] = documents;
    at = end;
  }
  return body;
}

/**
 * Removes the text that names the duplicate key from a response. Only responses that can contain such an error are parsed.
 */
function withoutWording(message: Buffer): Buffer {
  if (message.readInt32LE(12) !== opMsg || !message.includes(duplicateCode)) return message;
  const body = message.subarray(headerBytes + 5);
  if (body.readInt32LE(0) !== body.length) return message;
  const reply = BSON.deserialize(body, { promoteValues: false }) as Reply;
  const faults = [reply, ...(Array.isArray(reply.writeErrors) ? (reply.writeErrors as Reply[]) : [])];
  const duplicates = faults.filter(({ code }) => Number(code) === 11000);
  if (duplicates.length === 0) return message;
  for (const fault of duplicates) {
    delete fault.keyPattern;
    delete fault.keyValue;
    fault.errmsg = "Duplicate key violation on the requested collection: Index 'a_1_b_1'";
  }
  return replyTo(message.readInt32LE(8), reply);
}

function replyTo(id: number, reply: Reply): Buffer {
  const body = BSON.serialize(reply);
  const head = Buffer.alloc(headerBytes + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, body]);
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
    needed = 4;
    while (buffer.length >= 4) {
      const length = buffer.readInt32LE(0);
      if (buffer.length < length) {
        needed = length;
        break;
      }
      onMessage(buffer.subarray(0, length));
      buffer = buffer.subarray(length);
    }
    chunks = buffer.length > 0 ? [buffer] : [];
    bytes = buffer.length;
  };
}

/**
 * Refills the retry budget of this process's writes, which earlier test files of the same process may have used up. Each
 * write adds a tenth of a retry, up to 100.
 */
async function refillRetryBudget(): Promise<void> {
  for (let write = 0; write < 1_000; write += 1) await retryWrite(async () => {});
}

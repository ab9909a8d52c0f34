import type { CursorReply } from "./engine.ts";
import { CommandError } from "./errors.ts";
import { type Doc, decodeCommand, encode } from "./values.ts";

/** Largest message accepted, in bytes (MongoDB's limit). */
export const messageBytesMax = 48_000_000;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const headerBytes = 16;
const moreToCome = 2;
const checksumPresent = 1;

export type Request = { id: number; isLegacy: boolean; expectsReply: boolean; command: Doc };

/** Reads one whole message: OP_MSG, or the OP_QUERY a driver says hello with. Throws on anything else. */
export function parseRequest(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === opQuery) {
    const nameEnd = message.indexOf(0, headerBytes + 4);
    const database = message.toString("utf8", headerBytes + 4, nameEnd).replace(/\.\$cmd$/, "");
    const command = { ...decodeCommand(documentAt(message, nameEnd + 9)), $db: database };
    return { id, isLegacy: true, expectsReply: true, command };
  }
  if (opCode !== opMsg) throw new CommandError(2, `Unsupported wire operation ${opCode}`);
  const flags = message.readUInt32LE(headerBytes);
  const end = message.length - (flags & checksumPresent ? 4 : 0);
  let command: Doc = {};
  const sequences: [string, Uint8Array[]][] = [];
  for (let at = headerBytes + 4; at < end; ) {
    const kind = message.readUInt8(at++);
    const size = message.readInt32LE(at);
    if (size < 5 || at + size > end || kind > 1) throw new CommandError(2, "Malformed OP_MSG section");
    if (kind === 0) command = decodeCommand(message.subarray(at, at + size));
    else sequences.push(readSequence(message.subarray(at + 4, at + size)));
    at += size;
  }
  for (const [name, documents] of sequences) {
    command[name] = name === "documents" ? documents : documents.map(decodeCommand);
  }
  return { id, isLegacy: false, expectsReply: (flags & moreToCome) === 0, command };
}

function readSequence(section: Buffer): [string, Uint8Array[]] {
  const nameEnd = section.indexOf(0);
  const documents: Uint8Array[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const document = documentAt(section, at);
    documents.push(document);
    at += document.length;
  }
  return [section.toString("utf8", 0, nameEnd), documents];
}

function documentAt(bytes: Buffer, at: number): Buffer {
  const size = bytes.readInt32LE(at);
  if (size < 5 || at + size > bytes.length) throw new CommandError(2, "Malformed BSON document length");
  return bytes.subarray(at, at + size);
}

/** A whole reply message; the documents of a cursor's batch are copied in as they are stored. */
export function encodeReply(request: Request, reply: Doc | CursorReply): Buffer {
  const body = "batchName" in reply ? encodeCursor(reply as CursorReply) : encode(reply);
  const prefixBytes = headerBytes + (request.isLegacy ? 20 : 5);
  const message = Buffer.alloc(prefixBytes + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(request.id, 8);
  message.writeInt32LE(request.isLegacy ? opReply : opMsg, 12);
  if (request.isLegacy) message.writeInt32LE(1, headerBytes + 16);
  body.copy(message, prefixBytes);
  return message;
}

/** `{ cursor: { firstBatch: […], id, ns }, ok: 1 }`, written by hand so that stored documents are not serialized again. */
function encodeCursor({ batchName, batch, id, namespace }: CursorReply): Buffer {
  const empty = encode({ cursor: { [batchName]: [], id, ns: namespace }, ok: 1 });
  const keys = batch.map((_, index) => String(index));
  const added = batch.reduce((sum, document, index) => sum + 2 + (keys[index] as string).length + document.length, 0);
  const cursorAt = 4 + 1 + "cursor".length + 1;
  const arrayAt = cursorAt + 4 + 1 + batchName.length + 1;
  const reply = Buffer.allocUnsafe(empty.length + added);
  empty.copy(reply, 0, 0, arrayAt + 4);
  for (const at of [0, cursorAt, arrayAt]) reply.writeInt32LE(empty.readInt32LE(at) + added, at);
  let at = arrayAt + 4;
  for (const [index, document] of batch.entries()) {
    reply[at++] = 3;
    at += reply.write(`${keys[index]}\0`, at, "latin1");
    reply.set(document, at);
    at += document.length;
  }
  empty.copy(reply, at, arrayAt + 4);
  return reply;
}

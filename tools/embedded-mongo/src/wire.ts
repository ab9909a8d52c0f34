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

/** Reads one complete message: OP_MSG, or the OP_QUERY with which a driver opens a connection. Throws for any other message. */
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

/** Encodes a complete reply message. The stored documents of a cursor's batch are copied into it. */
export function encodeReply(request: Request, reply: Doc | CursorReply): Buffer {
  const bodyAt = headerBytes + (request.isLegacy ? 20 : 5);
  const message = isCursor(reply) ? encodeCursor(bodyAt, reply) : withPrefix(bodyAt, encode(reply));
  message.fill(0, 0, bodyAt);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(request.id, 8);
  message.writeInt32LE(request.isLegacy ? opReply : opMsg, 12);
  if (request.isLegacy) message.writeInt32LE(1, headerBytes + 16);
  return message;
}

function isCursor(reply: Doc | CursorReply): reply is CursorReply {
  return "batchName" in reply;
}

function withPrefix(bodyAt: number, body: Buffer): Buffer {
  const message = Buffer.allocUnsafe(bodyAt + body.length);
  body.copy(message, bodyAt);
  return message;
}

/** Encodes `{ cursor: { firstBatch: […], id, ns }, ok: 1 }` by hand, so that stored documents are not serialized again. */
function encodeCursor(bodyAt: number, { batchName, batch, id, namespace }: CursorReply): Buffer {
  const array = batch.reduce((sum, document, index) => sum + 2 + String(index).length + document.length, 5);
  const cursor = 4 + 1 + batchName.length + 1 + array + 12 + 8 + Buffer.byteLength(namespace) + 1 + 1;
  const body = 4 + 8 + cursor + 12 + 1;
  const message = Buffer.allocUnsafe(bodyAt + body);
  let at = message.writeInt32LE(body, bodyAt);
  at += message.write("\u0003cursor\0", at, "latin1");
  at = message.writeInt32LE(cursor, at);
  at += message.write(`\u0004${batchName}\0`, at, "latin1");
  at = message.writeInt32LE(array, at);
  for (const [index, document] of batch.entries()) {
    at += message.write(`\u0003${index}\0`, at, "latin1");
    message.set(document, at);
    at += document.length;
  }
  at += message.write("\0\u0012id\0", at, "latin1");
  at = message.writeBigInt64LE(id.toBigInt(), at);
  at += message.write("\u0002ns\0", at, "latin1");
  at = message.writeInt32LE(Buffer.byteLength(namespace) + 1, at);
  at += message.write(`${namespace}\0\0\u0001ok\0`, at);
  at = message.writeDoubleLE(1, at);
  message.writeUInt8(0, at);
  return message;
}

import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { deserialize, Long, serialize } from "bson";
import { type Collection, Decimal128, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../src/index.ts";
import type { TestDocument } from "./connect.ts";

/** Tests that run only on this engine: it deliberately rejects some requests that a mongod accepts, and it implements the wire protocol itself. */
let mongo: EmbeddedMongo;
let client: MongoClient;
beforeAll(async () => {
  mongo = await startEmbeddedMongo();
  client = await MongoClient.connect(mongo.uri);
});
afterAll(async () => {
  await client.close();
  await mongo.close();
});

describe("refusals instead of silent differences", () => {
  it("refuses options it does not support", async () => {
    const db = client.db("refusals");
    const c = db.collection("c");
    await c.insertOne({ a: 1, d: Decimal128.fromString("1.5") });
    await expect(c.find({}, { collation: { locale: "de" } }).toArray()).rejects.toMatchObject({ code: 238 });
    await expect(c.aggregate([{ $out: "x" }]).toArray()).rejects.toMatchObject({ code: 238 });
    await expect(c.aggregate([{ $merge: { into: "x" } }]).toArray()).rejects.toMatchObject({ code: 238 });
    await expect(db.createCollection("capped", { capped: true, size: 1000 })).rejects.toMatchObject({ code: 238 });
    await expect(c.createIndex({ a: "text" })).rejects.toMatchObject({ code: 67 });
    await expect(c.createIndex({ a: 1 }, { collation: { locale: "de" } })).rejects.toMatchObject({ code: 238 });
    await expect(c.updateOne({}, { $inc: { d: 1 } })).rejects.toMatchObject({ code: 2 });
    await expect(c.find({ $where: "true" }).toArray()).rejects.toMatchObject({ code: 2 });
    await expect(c.find({ a: { $regex: "a b", $options: "x" } }).toArray()).rejects.toMatchObject({ code: 2 });
  });

  it("refuses transactions as a standalone server does", async () => {
    const session = client.startSession();
    const command = {
      insert: "c",
      documents: [{ a: 1 }],
      txnNumber: Long.ONE,
      startTransaction: true,
      autocommit: false,
    };
    await expect(client.db("refusals").command(command)).rejects.toMatchObject({ code: 20 });
    await session.endSession();
  });
});

/** Creates a collection with these documents in it. */
async function collection(documents: readonly TestDocument[]): Promise<Collection<TestDocument>> {
  collections += 1;
  const made = client.db("own").collection<TestDocument>(`c${collections}`);
  await made.insertMany(documents);
  return made;
}
let collections = 0;

describe("a result longer than a batch", () => {
  it.each([1_000, 1_001, 2_500])("projects all %i documents as they were at the first batch", async (count) => {
    const c = await collection(Array.from({ length: count }, (_, index) => ({ _id: index, a: index, b: "x" })));
    const cursor = c.find({}, { projection: { a: 1 }, batchSize: 400 });
    expect(await cursor.next()).toEqual({ _id: 0, a: 0 });
    await c.updateMany({ a: { $gte: count - 10 } }, { $set: { a: -1 } });
    await c.deleteOne({ a: count - 11 });
    expect(await cursor.toArray()).toEqual(
      Array.from({ length: count - 1 }, (_, index) => ({ _id: index + 1, a: index + 1 })),
    );
    expect((await c.find({}, { projection: { _id: 0, a: 1 } }).toArray()).at(-1)).toEqual({ a: -1 });
  });
});

describe("a long bulk", () => {
  const length = 20_000;
  const statements = Array.from({ length }, (_, n) => ({
    updateOne: { filter: { _id: n }, update: { $set: { touched: true } } },
  }));

  it("serves reads between its statements, and reports all of them", async () => {
    const c = await collection(Array.from({ length }, (_, _id) => ({ _id })));
    const bulk = c.bulkWrite(statements, { ordered: false });
    let seen = 0;
    while (seen === 0) seen = await c.countDocuments({ touched: true });
    expect(seen).toBeLessThan(length);
    expect(await bulk).toMatchObject({ matchedCount: length, modifiedCount: length });
    expect(await c.countDocuments({ touched: true })).toBe(length);
  });

  it("matches nothing more once its collection is dropped", async () => {
    const c = await collection(Array.from({ length }, (_, _id) => ({ _id })));
    const bulk = c.bulkWrite(statements, { ordered: false });
    while ((await c.countDocuments({ touched: true })) === 0);
    await c.drop();
    expect((await bulk).matchedCount).toBeLessThan(length);
    await c.insertOne({ _id: 1 });
    expect(await c.countDocuments({})).toBe(1);
  });
});

describe("a scan that finds nothing among many documents (CWE-400)", () => {
  const find = { find: "scanned", filter: { text: "absent" } };
  it.each([
    ["find", find],
    ["count", { count: "scanned", query: find.filter }],
    ["distinct", { distinct: "scanned", key: "text", query: find.filter }],
    ["aggregate", { aggregate: "scanned", pipeline: [{ $match: find.filter }], cursor: {} }],
  ])("serves other finds during a %s", async (_, command) => {
    const db = client.db("scans");
    const c = db.collection<{ _id: number; text: string }>("scanned");
    const documents = Array.from({ length: 60_000 }, (_, _id) => ({ _id, text: `${_id} ${"x".repeat(50)}` }));
    if ((await c.countDocuments({})) === 0) await c.insertMany(documents);
    const order: string[] = [];
    const scan = db.command(command).then(() => order.push("scan"));
    for (const _id of [1, 2, 3]) order.push(`find ${(await c.findOne({ _id }))?._id}`);
    await scan;
    expect(order).toEqual(["find 1", "find 2", "find 3", "scan"]);
  });
});

function message(opCode: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(77, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

function opMsg(command: object, flags = 0, sequence?: { name: string; documents: object[] }): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags);
  const sections = [head, serialize(command)];
  if (sequence !== undefined) {
    const content = Buffer.concat([
      Buffer.from(`${sequence.name}\0`),
      ...sequence.documents.map((document) => serialize(document)),
    ]);
    const prefix = Buffer.alloc(5);
    prefix.writeUInt8(1);
    prefix.writeInt32LE(content.length + 4, 1);
    sections.push(prefix, content);
  }
  return message(2013, Buffer.concat(sections));
}

async function open(): Promise<Socket> {
  const socket = connectSocket(mongo.port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

async function reply(socket: Socket) {
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes.readInt32LE(8)).toBe(77);
  return deserialize(bytes.subarray(21));
}

describe("the wire", () => {
  it("accepts documents and statements as document sequences", async () => {
    const socket = await open();
    socket.write(
      opMsg({ insert: "seq", $db: "wire" }, 0, { name: "documents", documents: [{ _id: 1 }, { a: 2, _id: 2 }] }),
    );
    expect(await reply(socket)).toMatchObject({ n: 2, ok: 1 });
    socket.write(
      opMsg({ update: "seq", $db: "wire" }, 0, {
        name: "updates",
        documents: [{ q: { _id: 1 }, u: { $set: { b: 1 } } }],
      }),
    );
    expect(await reply(socket)).toMatchObject({ n: 1, nModified: 1 });
    expect(await client.db("wire").collection("seq").find().toArray()).toEqual([
      { _id: 1, b: 1 },
      { _id: 2, a: 2 },
    ]);
    socket.destroy();
  });

  it("reads a message that arrives byte by byte, and several that arrive together", async () => {
    const socket = await open();
    const bytes = opMsg({ ping: 1, $db: "admin" });
    const answered = reply(socket);
    for (const byte of bytes) await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
    expect(await answered).toEqual({ ok: 1 });
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.write(Buffer.concat([bytes, bytes, bytes]));
    await expect.poll(() => received).toBe(3 * (21 + serialize({ ok: 1.5 }).length));
    socket.destroy();
  });

  it("sends no reply to a message with the moreToCome flag", async () => {
    const socket = await open();
    socket.write(
      Buffer.concat([
        opMsg({ insert: "quiet", documents: [{ _id: 1 }], $db: "wire" }, 2),
        opMsg({ count: "quiet", $db: "wire" }),
      ]),
    );
    expect(await reply(socket)).toMatchObject({ n: 1 });
    socket.destroy();
  });

  it("closes a connection with malformed messages, and keeps serving the others", async () => {
    const badLength = Buffer.alloc(16);
    badLength.writeInt32LE(-5, 0);
    const badDocument = opMsg({ ping: 1, $db: "x" });
    badDocument.writeInt32LE(1_000_000, 21);
    for (const bytes of [
      badLength,
      message(2012, Buffer.alloc(9)),
      badDocument,
      Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]) {
      const socket = await open();
      socket.on("error", () => {});
      socket.write(bytes);
      await once(socket, "close");
    }
    expect(await client.db("admin").command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it("returns an error for a malformed command instead of failing", async () => {
    const db = client.db("wire");
    for (const command of [
      { find: "c", filter: 5 },
      { insert: "c" },
      { aggregate: "c", pipeline: 5, cursor: {} },
      { update: "c", updates: [{ q: {}, u: 5 }] },
      { createIndexes: "c" },
      { find: "c", sort: { a: "up" } },
      { constructor: 1 },
    ]) {
      const answer = await db.command(command).catch((error) => error);
      expect(answer.code !== undefined || answer.writeErrors?.length > 0).toBe(true);
    }
  });
});

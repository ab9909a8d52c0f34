import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Int32, Long } from "bson";
import { Collection } from "./collection.ts";
import type { IndexSpec } from "./collection-index.ts";
import { openDatabase, readCollections } from "./database-file.ts";
import { CommandError } from "./errors.ts";
import { type Journal, memoryJournal, openJournal } from "./journal.ts";
import { afterAll, encodeKey, rankOfDate } from "./key-string.ts";
import { type Doc, decode, documentBytesMax, encode, isDoc, toNumber } from "./values.ts";

type Cursor = {
  namespace: string;
  documents: Uint8Array[];
  /** Remaining work for each document when its batch is sent. Doing it for a large result in one step would block other commands. */
  finish?: ((bytes: Uint8Array) => Uint8Array) | undefined;
  position: number;
  usedAtMs: number;
};

/** One batch of a cursor, kept as document bytes until it is written to the socket. */
export type CursorReply = { batchName: "firstBatch" | "nextBatch"; batch: Uint8Array[]; id: Long; namespace: string };

const cursorIdleMsMax = 10 * 60_000;
const batchLengthDefault = 101;

/** All databases: the collections by namespace (`database.collection`), and the open cursors. */
export class Engine {
  readonly collections = new Map<string, Collection>();
  readonly journal: Journal;
  readonly #cursors = new Map<string, Cursor>();
  #nextCollectionId = 1;
  #nextCursorId = 1;

  /** Opens the engine. Without a folder, it keeps everything only in memory. It calls `onFailure` if changes can no longer be stored. */
  constructor(dataDir: string | undefined, onFailure: (error: Error) => void) {
    if (dataDir === undefined) {
      this.journal = memoryJournal;
      return;
    }
    mkdirSync(dataDir, { recursive: true });
    const file = join(dataDir, "embedded-mongo.sqlite");
    const database = openDatabase(file);
    this.journal = openJournal(file, onFailure);
    for (const { id, descriptor, documents } of readCollections(database)) {
      const { namespace, indexes } = decode(descriptor) as { namespace: string; indexes: IndexSpec[] };
      const collection = new Collection(id, namespace, indexes, this.journal);
      collection.load(documents);
      this.collections.set(namespace, collection);
      this.#nextCollectionId = Math.max(this.#nextCollectionId, id + 1);
    }
    database.close();
  }

  find(database: string, name: string): Collection | undefined {
    return this.collections.get(`${database}.${name}`);
  }

  /** Returns the collection, and creates it if it is missing, as MongoDB does at the first write. */
  ensure(database: string, name: string): Collection {
    const namespace = `${database}.${name}`;
    const existing = this.collections.get(namespace);
    if (existing !== undefined) return existing;
    if (name === "" || name.includes("$") || name.startsWith("system.")) {
      throw new CommandError(73, `Invalid namespace specified '${namespace}'`);
    }
    const specs = [{ name: "_id_", key: { _id: new Int32(1) }, unique: true }];
    const collection = new Collection(this.#nextCollectionId++, namespace, specs, this.journal);
    this.collections.set(namespace, collection);
    this.describe(collection);
    return collection;
  }

  /** Persists a collection's name and indexes; called after each change of them. */
  describe(collection: Collection): void {
    const indexes = [...collection.indexes.values()].map(({ spec }) => spec);
    this.journal.describe(collection.id, encode({ namespace: collection.namespace, indexes }));
  }

  drop(collection: Collection): void {
    this.collections.delete(collection.namespace);
    this.journal.drop(collection.id);
    for (const [id, cursor] of this.#cursors) if (cursor.namespace === collection.namespace) this.#cursors.delete(id);
  }

  inDatabase(database: string): Collection[] {
    return [...this.collections.values()].filter(({ namespace }) => namespace.startsWith(`${database}.`));
  }

  /** Responds with the first batch of the documents and keeps the rest, in its current state, for getMore. */
  openCursor(
    namespace: string,
    documents: Uint8Array[],
    options: { batchSize?: unknown; isSingle?: boolean; finish?: Cursor["finish"] },
  ): CursorReply {
    const { finish } = options;
    const cursor = { namespace, documents, finish, position: 0, usedAtMs: performance.now() };
    const batch = nextBatch(cursor, toNumber(options.batchSize) ?? batchLengthDefault);
    let id = Long.ZERO;
    if (!options.isSingle && cursor.position < documents.length) {
      id = Long.fromNumber(this.#nextCursorId++);
      this.#cursors.set(String(id), cursor);
    }
    return { batchName: "firstBatch", batch, id, namespace };
  }

  getMore(id: Long, namespace: string, batchSize: unknown): CursorReply {
    const cursor = this.#cursors.get(String(id));
    if (cursor === undefined || cursor.namespace !== namespace) throw new CommandError(43, `cursor id ${id} not found`);
    cursor.usedAtMs = performance.now();
    const batch = nextBatch(cursor, toNumber(batchSize) || Number.POSITIVE_INFINITY);
    const isDone = cursor.position >= cursor.documents.length;
    if (isDone) this.#cursors.delete(String(id));
    return { batchName: "nextBatch", batch, id: isDone ? Long.ZERO : id, namespace };
  }

  killCursor(id: Long): boolean {
    return this.#cursors.delete(String(id));
  }

  /** Removes expired documents and idle cursors. */
  expire(now: Date): void {
    for (const [id, { usedAtMs }] of this.#cursors) {
      if (performance.now() - usedAtMs > cursorIdleMsMax) this.#cursors.delete(id);
    }
    for (const collection of this.collections.values()) {
      for (const { spec, keys, fields } of collection.indexes.values()) {
        const seconds = toNumber(spec.expireAfterSeconds);
        if (seconds === undefined || fields[0] === undefined) continue;
        const last = new Date(now.getTime() - seconds * 1000);
        const expired = fields[0].descending
          ? collection.select({ filter: { [fields[0].path]: { $lte: last } } })
          : [...keys.range(String.fromCharCode(rankOfDate), encodeKey(last) + afterAll)].map(([, stored]) => stored);
        for (const stored of new Set(expired)) collection.remove(stored);
      }
    }
  }
}

function nextBatch(cursor: Cursor, lengthMax: number): Uint8Array[] {
  const batch: Uint8Array[] = [];
  let bytes = 0;
  while (cursor.position < cursor.documents.length && batch.length < lengthMax) {
    const stored = cursor.documents[cursor.position] as Uint8Array;
    const document = cursor.finish === undefined ? stored : cursor.finish(stored);
    bytes += document.length;
    if (bytes > documentBytesMax && batch.length > 0) break;
    batch.push(document);
    cursor.position++;
  }
  return batch;
}

/** Reads a field of a command that must be a document. If it is absent, returns an empty document. */
export function docOf(value: unknown): Doc {
  if (value === undefined || value === null) return {};
  if (!isDoc(value)) throw new CommandError(14, "Expected an object");
  return value;
}

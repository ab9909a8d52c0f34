import { Int32, Long } from "bson";
import type { Collection } from "../collection.ts";
import type { IndexSpec } from "../collection-index.ts";
import { type CursorReply, docOf, type Engine } from "../engine.ts";
import { CommandError } from "../errors.ts";
import { encodeKey } from "../key-string.ts";
import { compileFilter } from "../matcher.ts";
import { type Doc, encode, isDoc, toBoolean, toNumber } from "../values.ts";
import { refuse } from "./refuse.ts";

export function createIndexes(engine: Engine, database: string, command: Doc): Doc {
  const isNew = engine.find(database, String(command.createIndexes)) === undefined;
  const specs = (command.indexes as Doc[]).map(parseSpec);
  const collection = engine.ensure(database, String(command.createIndexes));
  const before = collection.indexes.size;
  const added: IndexSpec[] = [];
  try {
    for (const spec of specs) {
      if (isSame(collection, spec)) continue;
      collection.addIndex(spec);
      added.push(spec);
    }
  } catch (error) {
    for (const { name } of added) collection.indexes.delete(name);
    throw error;
  }
  engine.describe(collection);
  const after = collection.indexes.size;
  return {
    numIndexesBefore: new Int32(before),
    numIndexesAfter: new Int32(after),
    createdCollectionAutomatically: isNew,
    ...(before === after && { note: "all indexes already exist" }),
  };
}

function parseSpec(given: Doc): IndexSpec {
  const { name, key, unique, sparse, partialFilterExpression, expireAfterSeconds, ...rest } = given;
  for (const ignored of ["v", "background", "ns"]) delete rest[ignored];
  refuse(rest, Object.keys(rest));
  if (!isDoc(key) || Object.keys(key).length === 0) throw new CommandError(67, "Index keys cannot be an empty object");
  for (const [path, direction] of Object.entries(key)) {
    if (!toNumber(direction) || path.includes("$") || path === "") {
      throw new CommandError(67, `Only ascending and descending indexes are supported: ${path}: ${String(direction)}`);
    }
  }
  if (typeof name !== "string")
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  if (partialFilterExpression !== undefined) compileFilter(docOf(partialFilterExpression));
  const isTtl = expireAfterSeconds !== undefined;
  if (isTtl && Object.keys(key).length > 1) throw new CommandError(67, "TTL indexes are single-field indexes");
  if (isTtl && !((toNumber(expireAfterSeconds) ?? -1) >= 0))
    throw new CommandError(67, "expireAfterSeconds must be ≥ 0");
  if (toBoolean(sparse) && partialFilterExpression !== undefined) {
    throw new CommandError(67, "cannot mix partialFilterExpression and sparse options");
  }
  return {
    name,
    key,
    ...(toBoolean(unique) && { unique: true }),
    ...(toBoolean(sparse) && { sparse: true }),
    ...(isDoc(partialFilterExpression) && { partialFilterExpression }),
    ...(isTtl && { expireAfterSeconds }),
  };
}

/** Returns true if the requested index already exists. Throws if another index has its name or its signature. */
function isSame(collection: Collection, wanted: IndexSpec): boolean {
  if (Object.keys(wanted.key).join() === "_id") return true;
  const byName = collection.indexes.get(wanted.name)?.spec;
  if (byName !== undefined) {
    if (signature(byName) !== signature(wanted)) {
      throw new CommandError(86, `An existing index has the same name as the requested index: ${wanted.name}`);
    }
    if (toNumber(byName.expireAfterSeconds) === toNumber(wanted.expireAfterSeconds)) return true;
    throw new CommandError(
      85,
      `An equivalent index already exists with the same name but different options: ${wanted.name}`,
    );
  }
  for (const { spec } of collection.indexes.values()) {
    if (signature(spec) === signature(wanted)) {
      throw new CommandError(85, `Index already exists with a different name: ${spec.name}`);
    }
  }
  return false;
}

/** Returns the properties that distinguish two indexes: both may exist on one key if they differ in one of these. */
function signature({ key, unique = false, sparse = false, partialFilterExpression = {} }: IndexSpec): string {
  return encodeKey({ key, unique, sparse, partialFilterExpression });
}

export function listIndexes(engine: Engine, database: string, command: Doc): CursorReply {
  const collection = existing(engine, database, command.listIndexes);
  const specs = [...collection.indexes.values()].map(({ spec }) => {
    const { unique, ...shown } = spec;
    return encode({ v: new Int32(2), ...shown, ...(unique && spec.name !== "_id_" && { unique }) });
  });
  return engine.openCursor(collection.namespace, specs, { ...docOf(command.cursor) });
}

export function dropIndexes(engine: Engine, database: string, command: Doc): Doc {
  const collection = existing(engine, database, command.dropIndexes);
  const before = collection.indexes.size;
  for (const wanted of Array.isArray(command.index) ? command.index : [command.index]) {
    const found = [...collection.indexes.values()].filter(({ spec }) =>
      wanted === "*"
        ? spec.name !== "_id_"
        : isDoc(wanted)
          ? encodeKey(spec.key) === encodeKey(wanted)
          : spec.name === wanted,
    );
    if (found.length === 0 && wanted !== "*")
      throw new CommandError(27, `index not found with name [${String(wanted)}]`);
    for (const { spec } of found) {
      if (spec.name === "_id_") throw new CommandError(72, "cannot drop _id index");
      collection.indexes.delete(spec.name);
    }
  }
  engine.describe(collection);
  return { nIndexesWas: new Int32(before) };
}

export function create(engine: Engine, database: string, command: Doc): Doc {
  const options = Object.keys(command).filter(
    (key) => !/^(create|lsid|txnNumber|writeConcern|comment|maxTimeMS|api\w+|\$.*)$/.test(key),
  );
  refuse(command, options);
  const name = String(command.create);
  if (engine.find(database, name)) throw new CommandError(48, `Collection ${database}.${name} already exists.`);
  engine.ensure(database, name);
  return {};
}

export function drop(engine: Engine, database: string, command: Doc): Doc {
  const collection = engine.find(database, String(command.drop));
  if (collection === undefined) return {};
  engine.drop(collection);
  return { ns: collection.namespace, nIndexesWas: new Int32(collection.indexes.size) };
}

export function dropDatabase(engine: Engine, database: string): Doc {
  for (const collection of engine.inDatabase(database)) engine.drop(collection);
  return { dropped: database };
}

export function listCollections(engine: Engine, database: string, command: Doc): CursorReply {
  const matches = compileFilter(docOf(command.filter));
  const listed = engine.inDatabase(database).map(({ namespace, indexes }) => {
    const name = namespace.slice(database.length + 1);
    const { spec } = indexes.get("_id_") ?? {};
    const idIndex = { v: new Int32(2), key: spec?.key, name: "_id_" };
    return { name, type: "collection", options: {}, info: { readOnly: false }, idIndex } satisfies Doc;
  });
  return engine.openCursor(
    `${database}.$cmd.listCollections`,
    listed.filter(matches).map(encode),
    docOf(command.cursor),
  );
}

export function listDatabases(engine: Engine, _database: string, command: Doc): Doc {
  const names = new Set([...engine.collections.keys()].map((namespace) => namespace.split(".")[0] ?? ""));
  const matches = compileFilter(docOf(command.filter));
  const databases = [...names].sort().map((name) => {
    const bytes = engine.inDatabase(name).reduce((sum, collection) => sum + sizeOf(collection), 0);
    return { name, sizeOnDisk: Long.fromNumber(bytes), empty: false } satisfies Doc;
  });
  return { databases: databases.filter(matches), totalSize: Long.ZERO };
}

export function collStats(engine: Engine, database: string, command: Doc): Doc {
  const collection = engine.find(database, String(command.collStats));
  const indexes = new Int32(collection?.indexes.size ?? 0);
  const [size, rows] = collection === undefined ? [0, 0] : [sizeOf(collection), collection.documents.size];
  return {
    ns: `${database}.${command.collStats}`,
    size: Long.fromNumber(size),
    count: new Int32(rows),
    nindexes: indexes,
  };
}

export function dbStats(engine: Engine, database: string): Doc {
  const collections = engine.inDatabase(database);
  const sum = (of: (collection: Collection) => number) => collections.reduce((total, item) => total + of(item), 0);
  return {
    db: database,
    collections: new Int32(collections.length),
    objects: new Int32(sum(({ documents }) => documents.size)),
    dataSize: Long.fromNumber(sum(sizeOf)),
    indexes: new Int32(sum(({ indexes }) => indexes.size)),
  };
}

function sizeOf(collection: Collection): number {
  let bytes = 0;
  for (const stored of collection.documents.values()) bytes += stored.bytes.length;
  return bytes;
}

function existing(engine: Engine, database: string, name: unknown): Collection {
  const collection = engine.find(database, String(name));
  if (collection === undefined) throw new CommandError(26, `ns does not exist: ${database}.${name}`);
  return collection;
}

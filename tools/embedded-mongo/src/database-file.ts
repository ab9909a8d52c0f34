import { DatabaseSync, type StatementSync } from "node:sqlite";
import { entryKind, readEntries } from "./journal.ts";

export type StoredCollection = {
  id: number;
  descriptor: Uint8Array;
  documents: Iterable<DocumentRow>;
};

/** A document's number and its bytes. */
export type DocumentRow = readonly [number: number, bytes: Uint8Array];

/** Number of rows read at a time. Reading them as arrays takes half the time of one object each. */
const rowsAtOnce = 1000;

/**
 * Opens the SQLite file. It has one table for each collection, and one that describes them. FULL causes an fsync for each commit, and EXCLUSIVE makes a
 * second engine on the same folder fail to start instead of diverging.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS collection (id INTEGER PRIMARY KEY, descriptor BLOB NOT NULL)`);
  return database;
}

/** Reads everything that is stored, collection by collection; `documents` must be read before the next one is requested. */
export function* readCollections(database: DatabaseSync): Generator<StoredCollection> {
  for (const row of database.prepare("SELECT id, descriptor FROM collection ORDER BY id").all()) {
    const id = Number(row.id);
    yield { id, descriptor: row.descriptor as Uint8Array, documents: readDocuments(database, id) };
  }
}

function* readDocuments(database: DatabaseSync, collection: number): Generator<DocumentRow> {
  const sql = `SELECT number, bytes FROM documents_${collection} WHERE number > ? ORDER BY number LIMIT ${rowsAtOnce}`;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  for (let last: number | undefined = -1; last !== undefined; ) {
    const rows = statement.all(last) as unknown as DocumentRow[];
    yield* rows;
    last = rows.at(-1)?.[0];
  }
}

/** Returns a function that applies one batch of journal entries as one transaction; it is on disk when that returns. */
export function batchWriter(database: DatabaseSync): (batch: Buffer) => void {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return (batch) => {
    database.exec("BEGIN");
    for (const { kind, collection, number, bytes } of readEntries(batch)) {
      if (kind === entryKind.put)
        prepared(`INSERT OR REPLACE INTO documents_${collection} VALUES (?, ?)`).run(number, bytes);
      else if (kind === entryKind.remove) prepared(`DELETE FROM documents_${collection} WHERE number = ?`).run(number);
      else if (kind === entryKind.describe) {
        database.exec(
          `CREATE TABLE IF NOT EXISTS documents_${collection} (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`,
        );
        prepared("INSERT OR REPLACE INTO collection VALUES (?, ?)").run(collection, bytes);
      } else {
        statements.clear();
        database.exec(`DROP TABLE IF EXISTS documents_${collection}; DELETE FROM collection WHERE id = ${collection}`);
      }
    }
    database.exec("COMMIT");
  };
}

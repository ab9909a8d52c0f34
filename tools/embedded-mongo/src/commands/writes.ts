import { Int32 } from "bson";
import { type Collection, sortFields } from "../collection.ts";
import { docOf, type Engine } from "../engine.ts";
import { asCommandError, CommandError } from "../errors.ts";
import { encodeKey } from "../key-string.ts";
import { compileProjection } from "../projection.ts";
import type { StoredDocument } from "../stored-document.ts";
import { compileUpdate, type Update, upsertDocument } from "../update.ts";
import { type Doc, decode, toBoolean, toNumber } from "../values.ts";
import { select } from "./queries.ts";
import { refuse } from "./refuse.ts";

export function insert(engine: Engine, database: string, command: Doc): Doc | Promise<Doc> {
  const name = String(command.insert);
  let n = 0;
  const run = (document: Doc) => {
    engine.ensure(database, name).insert(Buffer.from(document as unknown as Uint8Array));
    n++;
  };
  return each(command, "documents", run, () => ({ n: new Int32(n) }));
}

export function update(engine: Engine, database: string, command: Doc): Doc | Promise<Doc> {
  refuse(command, ["let"]);
  const name = String(command.update);
  const upserted: Doc[] = [];
  let [n, nModified] = [0, 0];
  const run = (statement: Doc, index: number) => {
    refuse(statement, ["collation", "c"]);
    const filter = docOf(statement.q);
    const isMulti = toBoolean(statement.multi);
    const compiled = compileUpdate(statement.u, filter, statement.arrayFilters);
    if (isMulti && compiled.isReplacement)
      throw new CommandError(9, "multi update is not supported for replacement-style update");
    const sort = sortFields(docOf(statement.sort));
    const isUpsert = toBoolean(statement.upsert);
    const collection = isUpsert ? engine.ensure(database, name) : engine.find(database, name);
    const found = select(collection, { filter, sort, limit: isMulti ? 0 : 1 });
    for (const stored of found) {
      if (collection === undefined) break;
      if (change(collection, stored, stored.doc, compiled)) nModified++;
      n++;
    }
    if (found.length > 0 || collection === undefined || !isUpsert) return;
    const { _id } = collection.insert(upsertDocument(filter, compiled));
    upserted.push({ index: new Int32(index), _id });
    n++;
  };
  const counts = () => ({
    n: new Int32(n),
    nModified: new Int32(nModified),
    ...(upserted.length > 0 && { upserted }),
  });
  return each(command, "updates", run, counts);
}

export function remove(engine: Engine, database: string, command: Doc): Doc | Promise<Doc> {
  refuse(command, ["let"]);
  let n = 0;
  const run = (statement: Doc) => {
    refuse(statement, ["collation"]);
    const collection = engine.find(database, String(command.delete));
    const found = select(collection, { filter: docOf(statement.q), limit: toNumber(statement.limit) ?? 0 });
    for (const stored of found) collection?.remove(stored);
    n += found.length;
  };
  return each(command, "deletes", run, () => ({ n: new Int32(n) }));
}

export function findAndModify(engine: Engine, database: string, command: Doc): Doc {
  refuse(command, ["collation", "let"]);
  const name = String(command.findAndModify ?? command.findandmodify);
  const filter = docOf(command.query);
  const projection = compileProjection(docOf(command.fields ?? command.projection), filter);
  const [isRemoval, isUpsert, isNew] = [command.remove, command.upsert, command.new].map(toBoolean);
  if (isRemoval === (command.update !== undefined))
    throw new CommandError(9, "Either an update or remove=true must be specified");
  if (isRemoval && (isUpsert || isNew))
    throw new CommandError(9, "Cannot specify both upsert=true or new=true and remove=true");
  const compiled = isRemoval ? undefined : compileUpdate(command.update, filter, command.arrayFilters);
  const collection = isUpsert ? engine.ensure(database, name) : engine.find(database, name);
  const [stored] = select(collection, { filter, sort: sortFields(docOf(command.sort)), limit: 1 });
  const answer = (value: Doc | null, lastErrorObject: Doc) => ({
    lastErrorObject,
    value: value && (projection?.apply(value) ?? value),
  });

  if (collection === undefined || (stored === undefined && !isUpsert)) {
    return answer(null, { n: new Int32(0), ...(compiled && { updatedExisting: false }) });
  }
  if (compiled === undefined) {
    if (stored === undefined) return answer(null, { n: new Int32(0) });
    collection.remove(stored);
    return answer(stored.doc, { n: new Int32(1) });
  }
  if (stored === undefined) {
    const doc = collection.insert(upsertDocument(filter, compiled));
    return answer(isNew ? doc : null, { n: new Int32(1), updatedExisting: false, upserted: doc._id });
  }
  const before = stored.doc;
  change(collection, stored, before, compiled);
  return answer(isNew ? stored.doc : before, { n: new Int32(1), updatedExisting: true });
}

/** Applies an update to one stored document, which is parsed as `before`. Returns false if this changes nothing. */
function change(collection: Collection, stored: StoredDocument, before: Doc, compiled: Update): boolean {
  const doc = compiled.apply(compiled.isDeep ? decode(stored.bytes) : { ...before }, false);
  if (doc._id !== before._id && encodeKey(doc._id) !== encodeKey(before._id)) {
    throw new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  return collection.replace(stored, before, doc);
}

/** Time slice of a bulk command before other commands are served, in milliseconds. */
const sliceMs = 4;

/**
 * Runs the statements of a bulk; ordered ones stop at the first error, the others collect errors by index. A long bulk
 * yields to other commands between its statements, as in MongoDB: each statement is atomic, and its collection may have
 * been dropped in the meantime.
 */
function each(
  command: Doc,
  field: string,
  run: (statement: Doc, index: number) => void,
  counts: () => Doc,
): Doc | Promise<Doc> {
  const statements = command[field];
  if (!Array.isArray(statements) || statements.length === 0) {
    throw new CommandError(9, `The '${field}' of a write command must be a non-empty array`);
  }
  const isOrdered = command.ordered === undefined || toBoolean(command.ordered);
  const writeErrors: Doc[] = [];
  let next = 0;
  const runSlice = (): boolean => {
    const endsAtMs = performance.now() + sliceMs;
    while (next < statements.length) {
      const index = next++;
      try {
        run(statements[index] as Doc, index);
      } catch (thrown) {
        const { code, message, extra } = asCommandError(thrown);
        writeErrors.push({ index: new Int32(index), code: new Int32(code), ...extra, errmsg: message });
        if (isOrdered) return true;
      }
      // Read after each statement, because a single document may have 16 MB.
      if (performance.now() > endsAtMs) break;
    }
    return next >= statements.length;
  };
  const reply = () => ({ ...counts(), ...(writeErrors.length > 0 && { writeErrors }) });
  if (runSlice()) return reply();
  return new Promise((resolve) => {
    const goOn = (): void => void (runSlice() ? resolve(reply()) : setImmediate(goOn));
    setImmediate(goOn);
  });
}

import { Int32, type Long } from "bson";
import { type Collection, sortFields } from "../collection.ts";
import { indexedValues } from "../collection-index.ts";
import { type CursorReply, docOf, type Engine } from "../engine.ts";
import { CommandError } from "../errors.ts";
import { encodeKey } from "../key-string.ts";
import { compileFilter } from "../matcher.ts";
import { compileProjection } from "../projection.ts";
import { whenFound } from "../scan.ts";
import { parse, type StoredDocument } from "../stored-document.ts";
import { type Doc, encode, isLong, toBoolean, toNumber } from "../values.ts";
import { refuse } from "./refuse.ts";

/** Longer results are projected batch by batch, because other commands would otherwise wait for a long time. */
const projectedLengthMax = 1_000;

export function find(engine: Engine, database: string, command: Doc): CursorReply | Promise<CursorReply> {
  refuse(command, ["collation", "let", "tailable", "awaitData", "min", "max", "returnKey", "showRecordId"]);
  const name = String(command.find);
  const filter = docOf(command.filter);
  const projection = compileProjection(docOf(command.projection), filter);
  const limit = toNumber(command.limit) ?? 0;
  const selecting = selectInTurns(engine.find(database, name), {
    filter,
    sort: sortFields(docOf(command.sort)),
    skip: toNumber(command.skip) ?? 0,
    limit: Math.abs(limit),
    untilMs: untilOf(command),
  });
  return whenFound(selecting, (found) => {
    const isLong = found.length > projectedLengthMax;
    const documents = found.map((stored) =>
      projection === undefined || isLong ? stored.bytes : encode(projection.apply(stored.read(projection.fields))),
    );
    return engine.openCursor(`${database}.${name}`, documents, {
      ...(projection !== undefined && isLong
        ? { finish: (bytes) => encode(projection.apply(parse(bytes, projection.fields))) }
        : {}),
      batchSize: command.batchSize,
      isSingle: toBoolean(command.singleBatch) || limit < 0,
    });
  });
}

/** Returns the time, by performance.now(), at which a command's maxTimeMS has passed. If maxTimeMS is 0 or absent, there is no limit. */
export function untilOf(command: Doc): number {
  const ms = toNumber(command.maxTimeMS) ?? 0;
  if (ms < 0) throw new CommandError(2, `${ms} value for maxTimeMS is out of range`);
  return ms === 0 ? Number.POSITIVE_INFINITY : performance.now() + ms;
}

/** Selects documents of a collection. A malformed filter is an error even if the collection does not exist. */
export function select(collection: Collection | undefined, selection: Parameters<Collection["select"]>[0]) {
  if (collection !== undefined) return collection.select(selection);
  compileFilter(selection.filter);
  return [];
}

/** Selects as `select` does, but yields to other commands. */
export function selectInTurns(
  collection: Collection | undefined,
  selection: Parameters<Collection["select"]>[0],
): StoredDocument[] | Promise<StoredDocument[]> {
  return collection === undefined ? select(undefined, selection) : collection.selectInTurns(selection);
}

export function getMore(engine: Engine, database: string, command: Doc): CursorReply {
  return engine.getMore(
    cursorId(command.getMore, "getMore.getMore"),
    `${database}.${command.collection}`,
    command.batchSize,
  );
}

export function killCursors(engine: Engine, _database: string, command: Doc): Doc {
  const cursors = Array.isArray(command.cursors) ? command.cursors : [];
  const ids = cursors.map((id, index) => cursorId(id, `killCursors.cursors.${index}`));
  const cursorsKilled = ids.filter((id) => engine.killCursor(id));
  const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}

function cursorId(value: unknown, field: string): Long {
  if (isLong(value)) return value;
  throw new CommandError(14, `BSON field '${field}' is the wrong type, expected type 'long'`);
}

export function count(engine: Engine, database: string, command: Doc): Doc | Promise<Doc> {
  refuse(command, ["collation"]);
  const [filter, skip, limit] = [docOf(command.query), toNumber(command.skip) ?? 0, toNumber(command.limit) ?? 0];
  const collection = engine.find(database, String(command.count));
  const counting =
    collection === undefined ? select(undefined, { filter }).length : collection.count(filter, untilOf(command));
  return whenFound(counting, (total) => {
    const rest = Math.max(0, total - skip);
    return { n: new Int32(limit === 0 ? rest : Math.min(rest, Math.abs(limit))) };
  });
}

export function distinct(engine: Engine, database: string, command: Doc): Doc | Promise<Doc> {
  refuse(command, ["collation"]);
  const parts = String(command.key).split(".");
  const selection = { filter: docOf(command.query), untilMs: untilOf(command) };
  return whenFound(selectInTurns(engine.find(database, String(command.distinct)), selection), (found) => {
    const values = new Map<string, unknown>();
    for (const { doc } of found) {
      for (const value of indexedValues(doc, parts, 0)) {
        if (value !== undefined && typeof value !== "symbol") values.set(encodeKey(value), value);
      }
    }
    return { values: [...values.keys()].sort().map((key) => values.get(key)) };
  });
}

/**
 * Returns the plan that a find, count, distinct, update, delete or findAndModify would use, or the first $match of an aggregation.
 */
export function explain(engine: Engine, database: string, command: Doc): Doc {
  const explained = docOf(command.explain);
  const [name = ""] = Object.keys(explained);
  const parts = (explained.updates ?? explained.deletes ?? explained.pipeline ?? []) as Doc[];
  const filter = docOf(explained.filter ?? explained.query ?? explained.q ?? parts[0]?.q ?? parts[0]?.$match);
  const sort = sortFields(docOf(explained.sort ?? parts[1]?.$sort));
  const namespace = `${database}.${explained[name]}`;
  const collection = engine.find(database, String(explained[name]));
  const winningPlan = collection?.explain(filter, sort) ?? { stage: "EOF" };
  const queryPlanner = { namespace, parsedQuery: filter, winningPlan, rejectedPlans: [] };
  if (command.verbosity === "queryPlanner") return { queryPlanner };
  let docsExamined = 0;
  const [skip, limit] = [toNumber(explained.skip) ?? 0, Math.abs(toNumber(explained.limit) ?? 0)];
  const examined = () => {
    docsExamined++;
  };
  const { length } = select(collection, { filter, sort, skip, limit, examined });
  return { queryPlanner, executionStats: { nReturned: new Int32(length), totalDocsExamined: new Int32(docsExamined) } };
}

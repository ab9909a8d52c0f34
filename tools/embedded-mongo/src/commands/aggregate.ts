import { Int32 } from "bson";
import { Aggregator } from "mingo";
import { type Collection, sortFields } from "../collection.ts";
import { sortKeyOf } from "../collection-index.ts";
import { type CursorReply, docOf, type Engine } from "../engine.ts";
import { CommandError } from "../errors.ts";
import { encodeKey } from "../key-string.ts";
import { compileFilter } from "../matcher.ts";
import { assertInTime, whenFound } from "../scan.ts";
import type { StoredDocument } from "../stored-document.ts";
import { type Doc, decode, encode, isDoc, toNumber, toPlain } from "../values.ts";
import { selectInTurns, untilOf } from "./queries.ts";
import { refuse } from "./refuse.ts";

const refusedStages = ["$merge", "$out", "$changeStream", "$currentOp", "$search", "$geoNear", "$indexStats"];

/**
 * Runs an aggregation. Its leading $match, $sort, $skip and $limit use the indexes. This engine implements these stages and $count at any position, and mingo
 * implements every other stage. Documents that only pass through are returned as their stored bytes.
 */
export function aggregate(engine: Engine, database: string, command: Doc): CursorReply | Promise<CursorReply> {
  refuse(command, ["collation", "let", "explain"]);
  const name = String(command.aggregate);
  if (typeof command.aggregate !== "string")
    throw new CommandError(238, "Aggregations on a database are not supported");
  const stages = (command.pipeline as Doc[]).map((stage) => {
    const [operator = ""] = isDoc(stage) ? Object.keys(stage) : [];
    if (refusedStages.includes(operator))
      throw new CommandError(238, `${operator} is not supported by the embedded MongoDB`);
    if (Object.keys(stage).length !== 1) {
      throw new CommandError(40323, "A pipeline stage specification object must contain exactly one field.");
    }
    if (operator === "$limit" && !((toNumber(stage.$limit) ?? 0) > 0))
      throw new CommandError(15958, "the limit must be positive");
    return { operator, argument: stage[operator] };
  });
  const { selection, used } = leadingSelection(stages);
  const collection = engine.find(database, name);
  const untilMs = untilOf(command);
  const rest = stages.slice(used);
  const { batchSize } = docOf(command.cursor);
  const runRest = (found: readonly StoredDocument[]): Uint8Array[] => {
    const [first] = rest;
    // Counting needs no document, and parsing a thousand takes as long as finding them.
    const counted = first === undefined ? null : countBy(first, found.length);
    return runStages(
      counted ?? found.map(({ doc }) => doc),
      counted === null ? rest : rest.slice(1),
      untilMs,
      (other) => plainDocuments(engine.find(database, other)),
    ).map(encode);
  };
  return whenFound(selectInTurns(collection, { ...selection, untilMs }), (found) => {
    const documents = rest.length === 0 ? found.map(({ bytes }) => bytes) : runRest(found);
    return engine.openCursor(`${database}.${name}`, documents, { batchSize });
  });
}

/** The stage that drivers send for countDocuments, counted without converting documents. */
const countStage = encodeKey({ _id: new Int32(1), n: { $sum: new Int32(1) } });

type Stage = { operator: string; argument: unknown };

/** Returns the result of a stage that only counts `length` documents; null for any other stage. */
function countBy({ operator, argument }: Stage, length: number): Doc[] | null {
  const isGroup = operator === "$group" && encodeKey(argument) === countStage;
  if (!isGroup && operator !== "$count") return null;
  if (length === 0) return [];
  return [isGroup ? { _id: new Int32(1), n: new Int32(length) } : { [String(argument)]: new Int32(length) }];
}

function leadingSelection(stages: Stage[]) {
  const filters: Doc[] = [];
  let used = 0;
  while (stages[used]?.operator === "$match") filters.push(docOf(stages[used++]?.argument));
  const [only = {}] = filters;
  const next = (operator: string) => (stages[used]?.operator === operator ? stages[used++]?.argument : undefined);
  const sort = sortFields(docOf(next("$sort")));
  const skip = toNumber(next("$skip")) ?? 0;
  const limit = toNumber(next("$limit")) ?? 0;
  return { used, selection: { filter: filters.length > 1 ? { $and: filters } : only, sort, skip, limit } };
}

function runStages(input: Doc[], stages: Stage[], untilMs: number, resolve: (collection: string) => Doc[]): Doc[] {
  let documents = input;
  for (const { operator, argument } of stages) {
    assertInTime(untilMs);
    const counted = countBy({ operator, argument }, documents.length);
    if (counted !== null) documents = counted;
    else if (operator === "$match") documents = documents.filter(compileFilter(docOf(argument)));
    else if (operator === "$skip") documents = documents.slice(toNumber(argument));
    else if (operator === "$limit") documents = documents.slice(0, toNumber(argument));
    else if (operator === "$sort") documents = sorted(documents, docOf(argument));
    else documents = runMingo(documents, operator, argument, resolve);
  }
  return documents;
}

function runMingo(
  documents: Doc[],
  operator: string,
  argument: unknown,
  resolve: (collection: string) => Doc[],
): Doc[] {
  const stage = { [operator]: toPlain(argument) } as Doc;
  const aggregator = new Aggregator([stage], { collectionResolver: resolve });
  const run = () => aggregator.run(documents.map((doc) => toPlain(doc) as Doc));
  // Encoded and decoded again, so that the engine's own stages find every value in its BSON class.
  return withServerCodes(run).map((doc) => decode(encode(doc as Doc)));
}

/** Replaces mingo's errors about unknown operators by errors with MongoDB's codes. */
function withServerCodes<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (text.startsWith("unregistered pipeline operator")) throw new CommandError(40324, text);
    if (text.endsWith("is not registered.")) throw new CommandError(168, text);
    throw error;
  }
}

function sorted(documents: Doc[], sort: Doc): Doc[] {
  const fields = sortFields(sort);
  const keyed = documents.map((doc) => ({ key: sortKeyOf(doc, fields), doc }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ doc }) => doc);
}

function plainDocuments(collection: Collection | undefined): Doc[] {
  return [...(collection?.documents.values() ?? [])].map(({ doc }) => toPlain(doc) as Doc);
}

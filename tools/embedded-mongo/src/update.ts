import { Int32, Long, ObjectId, Timestamp } from "bson";
import { aggregate } from "mingo";
import { sortFields } from "./collection.ts";
import { sortKeyOf } from "./collection-index.ts";
import { CommandError } from "./errors.ts";
import { encodeKey } from "./key-string.ts";
import { compileValue } from "./matcher.ts";
import { pinnedFields } from "./planner.ts";
import { compileArrayFilters, type Positions, resolvePath, setAt, unsetAt, valueAt } from "./update-paths.ts";
import { arithmetic, type Doc, decode, encode, isDoc, own, toNumber, toPlain } from "./values.ts";

/**
 * Changes a private copy of a document; returns the document to store, which may be another one. Unless the update
 * `isDeep`, it changes no nested value, so a shallow copy suffices.
 */
export type Update = { isReplacement: boolean; isDeep: boolean; apply(doc: Doc, isInsert: boolean): Doc };

/** Computes the new value at a path from the existing one (undefined if missing). `keep` leaves the path unchanged. */
type Operator = (current: unknown, operand: unknown, path: string) => unknown;
const keep = Symbol("unchanged");

const operators: Record<string, Operator> = {
  $set: (_, operand) => operand,
  $setOnInsert: (_, operand) => operand,
  $inc: (current, operand, path) => compute("+", current, operand, path),
  $mul: (current, operand, path) => compute("*", current, operand, path),
  $min: (current, operand) => (current === undefined || encodeKey(operand) < encodeKey(current) ? operand : keep),
  $max: (current, operand) => (current === undefined || encodeKey(operand) > encodeKey(current) ? operand : keep),
  $currentDate: (_, operand) => {
    const type = isDoc(operand) ? operand.$type : operand === true ? "date" : undefined;
    if (type === "date") return new Date();
    if (type === "timestamp") return new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
    throw new CommandError(2, "$currentDate takes true or { $type: 'date' | 'timestamp' }");
  },
  $push: (current, operand, path) => push(arrayAt(current, path, "$push"), operand),
  $addToSet: (current, operand, path) => {
    const array = [...arrayAt(current, path, "$addToSet")];
    const keys = new Set(array.map(encodeKey));
    for (const value of eachOf(operand, ["$each"])) {
      if (!keys.has(encodeKey(value))) array.push(value);
      keys.add(encodeKey(value));
    }
    return array;
  },
  $pull: (current, operand, path) => {
    if (current === undefined) return keep;
    const test = compileValue(operand);
    return arrayAt(current, path, "$pull").filter((element) => !test(element));
  },
  $pullAll: (current, operand, path) => {
    if (!Array.isArray(operand)) throw new CommandError(2, "$pullAll requires an array argument");
    if (current === undefined) return keep;
    const keys = new Set(operand.map(encodeKey));
    return arrayAt(current, path, "$pullAll").filter((element) => !keys.has(encodeKey(element)));
  },
  $pop: (current, operand, path) => {
    const end = toNumber(operand);
    if (end !== 1 && end !== -1) throw new CommandError(9, "$pop expects 1 or -1");
    if (current === undefined) return keep;
    const array = arrayAt(current, path, "$pop");
    return end === 1 ? array.slice(0, -1) : array.slice(1);
  },
  $bit: (current, operand) => {
    let result = BigInt(String(current ?? new Int32(0)));
    for (const [operation, mask] of Object.entries(isDoc(operand) ? operand : {})) {
      if (operation === "and") result &= BigInt(String(mask));
      else if (operation === "or") result |= BigInt(String(mask));
      else if (operation === "xor") result ^= BigInt(String(mask));
      else throw new CommandError(2, `The $bit modifier only supports 'and', 'or', and 'xor', not '${operation}'`);
    }
    return current === undefined || current instanceof Int32 ? new Int32(Number(result)) : Long.fromBigInt(result);
  },
};

/** Compiles an update: operators, a replacement, or a pipeline. Throws FailedToParse for an unknown operator or form. */
export function compileUpdate(update: unknown, filter: Doc, arrayFilters?: unknown): Update {
  if (Array.isArray(update)) return { isReplacement: false, isDeep: false, apply: (doc) => runPipeline(doc, update) };
  if (!isDoc(update)) throw new CommandError(9, "Update argument must be either an object or an array");
  if (!Object.keys(update)[0]?.startsWith("$")) {
    if (Object.keys(update).some((key) => key.startsWith("$"))) {
      throw new CommandError(52, "A replacement document must not contain update operators");
    }
    return {
      isReplacement: true,
      isDeep: false,
      apply: (doc) => ({ ...("_id" in doc ? { _id: doc._id } : {}), ...update }),
    };
  }
  const positions: Positions = { filter, arrayFilters: compileArrayFilters(arrayFilters) };
  for (const [operator, fields] of Object.entries(update)) {
    if (!Object.hasOwn(operators, operator) && operator !== "$unset" && operator !== "$rename") {
      throw new CommandError(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update`,
      );
    }
    if (!isDoc(fields))
      throw new CommandError(9, `Modifiers operate on fields but we found another type for ${operator}`);
  }
  const changes = update as Record<string, Doc>;
  assertNoConflict(changes);
  return {
    isReplacement: false,
    isDeep: Object.entries(changes).some(
      ([operator, fields]) => operator === "$rename" || Object.keys(fields).some((path) => /[.$]/.test(path)),
    ),
    apply(doc, isInsert) {
      for (const [operator, fields] of Object.entries(changes)) {
        if (operator === "$setOnInsert" && !isInsert) continue;
        for (const [path, operand] of Object.entries(fields)) applyOne(doc, operator, path, operand, positions);
      }
      return doc;
    },
  };
}

/** Creates the document that an upsert inserts: first the fields that the filter requires to have one value, then the update, then an _id if there is none. */
export function upsertDocument(filter: Doc, update: Update): Doc {
  const seed: Doc = {};
  for (const [path, value] of Object.entries(pinnedFields(filter))) {
    if (!update.isReplacement || path === "_id") setAt(seed, path.split("."), value);
  }
  const doc = update.apply(decode(encode(seed)), true);
  return { _id: doc._id === undefined ? new ObjectId() : doc._id, ...doc };
}

function applyOne(doc: Doc, operator: string, path: string, operand: unknown, positions: Positions): void {
  for (const parts of resolvePath(doc, path, positions)) {
    if (operator === "$unset") unsetAt(doc, parts);
    else if (operator === "$rename") {
      const value = valueAt(doc, parts);
      if (value === undefined) continue;
      unsetAt(doc, parts);
      setAt(doc, String(operand).split("."), value);
    } else {
      const value = operators[operator]?.(valueAt(doc, parts), operand, path);
      if (value !== keep) setAt(doc, parts, value);
    }
  }
}

function compute(operator: "+" | "*", current: unknown, operand: unknown, path: string): unknown {
  if (toNumber(operand) === undefined)
    throw new CommandError(14, `Cannot increment with non-numeric argument: {${path}}`);
  if (current === undefined) return operator === "+" ? operand : arithmetic("*", new Int32(0), operand);
  if (toNumber(current) === undefined) {
    throw new CommandError(14, `Cannot apply arithmetic to a value of non-numeric type at '${path}'`);
  }
  return arithmetic(operator, current, operand);
}

function arrayAt(current: unknown, path: string, operator: string): unknown[] {
  if (current === undefined && (operator === "$push" || operator === "$addToSet")) return [];
  if (!Array.isArray(current)) throw new CommandError(2, `The field '${path}' must be an array for ${operator}`);
  return current;
}

function eachOf(operand: unknown, known: string[]): unknown[] {
  if (!isDoc(operand) || operand.$each === undefined) return [operand];
  const unknown = Object.keys(operand).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new CommandError(2, `Unrecognized clause beside $each: ${unknown}`);
  if (!Array.isArray(operand.$each)) throw new CommandError(2, "The argument to $each must be an array");
  return operand.$each;
}

function push(current: unknown[], operand: unknown): unknown[] {
  const added = eachOf(operand, ["$each", "$slice", "$sort", "$position"]);
  const options = isDoc(operand) && operand.$each !== undefined ? operand : {};
  const array = [...current];
  const position = toNumber(options.$position) ?? array.length;
  array.splice(position, 0, ...added);
  if (isDoc(options.$sort)) {
    const fields = sortFields(options.$sort);
    sortBy(array, (element) => sortKeyOf(isDoc(element) ? element : {}, fields), false);
  } else if (options.$sort !== undefined) sortBy(array, encodeKey, toNumber(options.$sort) === -1);
  const slice = toNumber(options.$slice);
  if (slice === undefined) return array;
  return slice < 0 ? array.slice(slice) : array.slice(0, slice);
}

function sortBy(array: unknown[], keyOf: (element: unknown) => string, descending: boolean): void {
  const keys = new Map(array.map((element) => [element, keyOf(element)]));
  array.sort((a, b) => {
    const [first = "", second = ""] = [keys.get(a), keys.get(b)];
    return first === second ? 0 : first < second === descending ? 1 : -1;
  });
}

function assertNoConflict(changes: Record<string, Doc>): void {
  const paths = Object.entries(changes).flatMap(([operator, fields]) =>
    operator === "$rename" ? [...Object.keys(fields), ...Object.values(fields).map(String)] : Object.keys(fields),
  );
  const seen = new Set(paths);
  const repeated = paths.length > seen.size ? paths.find((path, at) => paths.indexOf(path) !== at) : undefined;
  const nested = paths.find((path) => {
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1))
      if (seen.has(path.slice(0, dot))) return true;
    return false;
  });
  const conflict = repeated ?? nested;
  if (conflict !== undefined)
    throw new CommandError(40, `Updating the path '${conflict}' would create a conflict at '${conflict}'`);
}

const updateStages = new Set(["$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"]);

/** Compiles an update by an aggregation pipeline, which mingo evaluates. Unchanged fields keep their BSON types. */
function runPipeline(doc: Doc, pipeline: unknown[]): Doc {
  for (const stage of pipeline) {
    const [name = ""] = isDoc(stage) ? Object.keys(stage) : [];
    if (!updateStages.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  const [result = {}] = aggregate([toPlain(doc) as Doc], toPlain(pipeline) as Doc[]);
  const typed: Doc = {};
  for (const [key, value] of Object.entries(decode(encode(result as Doc)))) {
    const before = own(doc, key);
    typed[key] = before !== undefined && encodeKey(before) === encodeKey(value) ? before : value;
  }
  return typed;
}

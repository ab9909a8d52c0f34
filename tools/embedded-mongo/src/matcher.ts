import { BSONRegExp } from "bson";
import { Query } from "mingo";
import { CommandError } from "./errors.ts";
import { encodeKey, rank, rankOf } from "./key-string.ts";
import { bsonType, type Doc, isDoc, own, toBoolean, toNumber, toPlain, toRegExp } from "./values.ts";

/** Tests one value; `undefined` stands for a missing field. */
type Test = (value: unknown) => boolean;
export type Match = (doc: Doc) => boolean;

/** Compiles a filter with MongoDB's semantics of arrays, null and types. Throws BadValue on an unknown operator. */
export function compileFilter(filter: Doc): Match {
  const matches: Match[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    const match = key.startsWith("$") ? compileLogical(key, condition) : compileField(key, condition);
    if (match !== undefined) matches.push(match);
  }
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  return (doc) => matches.every((match) => match(doc));
}

function compileLogical(operator: string, condition: unknown): Match | undefined {
  if (operator === "$comment") return undefined;
  if (operator === "$expr") {
    const query = new Query({ $expr: toPlain(condition) as Doc });
    return (doc) => query.test(toPlain(doc) as Doc);
  }
  if (operator !== "$and" && operator !== "$or" && operator !== "$nor") {
    throw new CommandError(2, `unknown top level operator: ${operator}`);
  }
  if (!Array.isArray(condition) || condition.length === 0 || !condition.every(isDoc)) {
    throw new CommandError(2, `${operator} must be a nonempty array of objects`);
  }
  const parts = condition.map(compileFilter);
  if (operator === "$and") return (doc) => parts.every((part) => part(doc));
  if (operator === "$or") return (doc) => parts.some((part) => part(doc));
  return (doc) => !parts.some((part) => part(doc));
}

function compileField(path: string, condition: unknown): Match {
  const parts = path.split(".");
  if (!isOperators(condition)) return someValue(parts, equalTo(condition));
  const matches = Object.entries(condition).map(([operator, operand]) =>
    compileOperator(parts, operator, operand, condition),
  );
  return (doc) => matches.every((match) => match(doc));
}

/** True for `{$op: …}`; a document that starts with a field is a value to compare with. */
export function isOperators(condition: unknown): condition is Doc {
  if (!isDoc(condition)) return false;
  const [first] = Object.keys(condition);
  return first?.startsWith("$") === true;
}

function compileOperator(parts: string[], operator: string, operand: unknown, all: Doc): Match {
  switch (operator) {
    case "$eq":
      return someValue(parts, equalTo(operand, true));
    case "$ne":
      return not(someValue(parts, equalTo(operand, true)));
    case "$in":
      return someValue(parts, oneOf(operand, operator));
    case "$nin":
      return not(someValue(parts, oneOf(operand, operator)));
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return someValue(parts, orElement(compareTo(operator, operand)));
    case "$exists": {
      const exists = someValue(parts, (value) => value !== undefined);
      return toBoolean(operand) ? exists : not(exists);
    }
    case "$not":
      if (!isOperators(operand) && !(operand instanceof BSONRegExp)) {
        throw new CommandError(2, "$not needs a regex or a document of operators");
      }
      return not(compileField(parts.join("."), operand));
    case "$regex":
      return someValue(parts, orElement(matching(operand, all.$options)));
    case "$options":
      if (!("$regex" in all)) throw new CommandError(2, "$options needs a $regex");
      return () => true;
    case "$size": {
      const size = toNumber(operand);
      if (size === undefined || size < 0) throw new CommandError(2, "$size must be a whole number");
      return someValue(parts, (value) => Array.isArray(value) && value.length === size);
    }
    case "$all": {
      if (!Array.isArray(operand)) throw new CommandError(2, "$all needs an array");
      const every = operand.map((item) => compileField(parts.join("."), isElemMatch(item) ? item : { $eq: item }));
      return (doc) => every.length > 0 && every.every((match) => match(doc));
    }
    case "$elemMatch": {
      const test = compileElement(operand);
      return someValue(parts, (value) => Array.isArray(value) && value.some(test));
    }
    case "$type":
      return someValue(parts, orElement(ofType(operand)));
    case "$mod": {
      const [divisor, remainder] = Array.isArray(operand) ? operand.map(toNumber) : [];
      if (!divisor || remainder === undefined) throw new CommandError(2, "malformed mod, needs divisor and remainder");
      return someValue(
        parts,
        orElement((value) => Math.trunc(toNumber(value) ?? Number.NaN) % Math.trunc(divisor) === remainder),
      );
    }
    case "$bitsAllSet":
    case "$bitsAllClear":
    case "$bitsAnySet":
    case "$bitsAnyClear": {
      const query = new Query({ value: { [operator]: toPlain(operand) } });
      return someValue(
        parts,
        orElement((value) => toNumber(value) !== undefined && query.test({ value: toPlain(value) })),
      );
    }
    default:
      throw new CommandError(2, `unknown operator: ${operator}`);
  }
}

/** Compiles a condition on an array's element: operators on the element itself, or a filter on it as a document. */
export function compileElement(condition: unknown): Test {
  if (!isDoc(condition)) throw new CommandError(2, "$elemMatch needs an Object");
  const [first = ""] = Object.keys(condition);
  if (first.startsWith("$") && !["$and", "$or", "$nor", "$expr"].includes(first)) {
    const match = compileField("value", condition);
    return (element) => match({ value: element });
  }
  const match = compileFilter(condition);
  return (element) => (isDoc(element) || Array.isArray(element)) && match(element as Doc);
}

/** Compiles the condition for a plain value or operators, as `$pull` and array filters use it. */
export function compileValue(condition: unknown): Test {
  if (isDoc(condition) && !isOperators(condition)) return compileElement(condition);
  const match = compileField("value", condition);
  return (value) => match({ value });
}

function not(match: Match): Match {
  return (doc) => !match(doc);
}

function someValue(parts: string[], test: Test): Match {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return (doc) => (Array.isArray(doc) ? reach(doc, parts, 0, test) : test(own(doc, only)));
  }
  return (doc) => reach(doc, parts, 0, test);
}

/** Follows a path, including every element of the arrays on it, until one value at its end passes the test. */
function reach(value: unknown, parts: string[], depth: number, test: Test): boolean {
  const part = parts[depth];
  if (part === undefined) return test(value);
  if (Array.isArray(value)) {
    if (/^\d+$/.test(part) && Number(part) < value.length && reach(value[Number(part)], parts, depth + 1, test)) {
      return true;
    }
    return value.some((element) => isDoc(element) && reach(element, parts, depth, test));
  }
  return isDoc(value) ? reach(own(value, part), parts, depth + 1, test) : test(undefined);
}

function orElement(test: Test): Test {
  return (value) => test(value) || (Array.isArray(value) && value.some(test));
}

function equalTo(operand: unknown, literal = false): Test {
  if (operand === null || operand === undefined) return orElement((value) => value === null || value === undefined);
  if (typeof operand === "string" || typeof operand === "boolean") return orElement((value) => value === operand);
  if (operand instanceof BSONRegExp && !literal) {
    const matches = matching(operand);
    const key = encodeKey(operand);
    return orElement((value) => matches(value) || (value instanceof BSONRegExp && encodeKey(value) === key));
  }
  const [key, type, operandRank] = [encodeKey(operand), bsonType(operand), rankOf(operand)];
  if (type === "ObjectId") {
    const id = operand as { equals(other: unknown): boolean };
    return orElement((value) => bsonType(value) === type && id.equals(value));
  }
  return orElement((value) => rankOf(value) === operandRank && encodeKey(value) === key);
}

function oneOf(operand: unknown, operator: string): Test {
  if (!Array.isArray(operand)) throw new CommandError(2, `${operator} needs an array`);
  if (operand.some(isOperators)) throw new CommandError(2, `cannot nest $ under ${operator}`);
  const keys = new Set(operand.filter((item) => !(item instanceof BSONRegExp)).map(encodeKey));
  const patterns = operand.filter((item) => item instanceof BSONRegExp).map((item) => equalTo(item));
  const withNull = keys.has(encodeKey(null));
  const inKeys = orElement((value) => (value === undefined ? withNull : keys.has(encodeKey(value))));
  return patterns.length === 0 ? inKeys : (value) => inKeys(value) || patterns.some((test) => test(value));
}

/** Compares only within the operand's type, as MongoDB does; null is equal to a missing field. */
function compareTo(operator: string, operand: unknown): Test {
  const operandRank = rankOf(operand);
  const orEqual = operator.endsWith("e");
  if (operandRank === rank.null) return (value) => orEqual && (value === null || value === undefined);
  const greater = operator.startsWith("$gt");
  const key = encodeKey(operand);
  const isNaNOperand = Number.isNaN(toNumber(operand) ?? 0);
  const time = operand instanceof Date ? operand.getTime() : undefined;
  return (value) => {
    if (value === undefined) return false;
    if (time !== undefined) {
      if (!(value instanceof Date)) return false;
      const other = value.getTime();
      return other === time ? orEqual : greater === other > time;
    }
    if (rankOf(value) !== operandRank && operandRank !== rank.minKey && operandRank !== 127) return false;
    const other = encodeKey(value);
    if (other === key) return orEqual;
    // NaN is comparable only with itself.
    if (operandRank === rank.number && (isNaNOperand || Number.isNaN(toNumber(value)))) return false;
    return greater === other > key;
  };
}

function matching(pattern: unknown, options?: unknown): Test {
  const fromClass = pattern instanceof BSONRegExp;
  if (!fromClass && typeof pattern !== "string") throw new CommandError(2, "$regex has to be a string");
  const flags = typeof options === "string" ? options : fromClass ? pattern.options : "";
  const expression = toRegExp(fromClass ? pattern.pattern : pattern, flags);
  return (value) => typeof value === "string" && expression.test(value);
}

const typeNames: Record<string, number | string> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  javascript: 13,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};
const classCodes: Record<string, number> = {
  Double: 1,
  Binary: 5,
  ObjectId: 7,
  BSONRegExp: 11,
  Code: 13,
  Int32: 16,
  Timestamp: 17,
  Long: 18,
  Decimal128: 19,
  MinKey: -1,
  MaxKey: 127,
};

function ofType(operand: unknown): Test {
  const codes = new Set<unknown>();
  for (const type of Array.isArray(operand) ? operand : [operand]) {
    if (type === "number") for (const code of [1, 16, 18, 19]) codes.add(code);
    else {
      const code = typeof type === "string" ? typeNames[type] : toNumber(type);
      if (code === undefined) throw new CommandError(2, `Unknown type name alias: ${String(type)}`);
      codes.add(code);
    }
  }
  return (value) => {
    if (value === undefined) return false;
    if (value === null) return codes.has(10);
    if (typeof value === "string") return codes.has(2);
    if (typeof value === "boolean") return codes.has(8);
    if (value instanceof Date) return codes.has(9);
    if (Array.isArray(value)) return codes.has(4);
    return codes.has(classCodes[bsonType(value) ?? ""] ?? 3);
  };
}

function isElemMatch(value: unknown): boolean {
  return isDoc(value) && "$elemMatch" in value;
}

import { aggregate } from "mingo";
import { CommandError } from "./errors.ts";
import { compileElement } from "./matcher.ts";
import { type Positions, resolvePath } from "./update-paths.ts";
import { bsonType, type Doc, isDoc, own, setOwn, toBoolean, toNumber, toPlain } from "./values.ts";

export type Projection = {
  /** Top-level fields that the result depends on; null if it may depend on any field. */
  readonly fields: ReadonlySet<string> | null;
  apply(doc: Doc): Doc;
};

/** Paths as a tree, in which a leaf is `true`. */
type Tree = { [key: string]: Tree | true };

/** Compiles a projection; undefined if it does not change documents. Expressions are computed by mingo. */
export function compileProjection(projection: Doc | undefined, filter: Doc = {}): Projection | undefined {
  const entries = Object.entries(projection ?? {});
  if (entries.length === 0) return undefined;
  if (entries.some(([path, value]) => isExpression(path, value))) {
    const stage = { $project: toPlain(projection) as Doc };
    return { fields: null, apply: (doc) => aggregate([toPlain(doc) as Doc], [stage])[0] as Doc };
  }
  const positional = entries.find(([path]) => path.endsWith(".$"))?.[0];
  const plain = entries.filter(([path, value]) => path !== "_id" && !isDoc(value)).map(([, value]) => toBoolean(value));
  const idValue = own(projection ?? {}, "_id");
  const includes =
    plain[0] ?? (entries.some(([, value]) => isDoc(value) && "$elemMatch" in value) || toBoolean(idValue));
  if (plain.some((value) => value !== includes)) {
    throw new CommandError(2, "Cannot mix inclusion and exclusion in a projection, except for _id");
  }
  const tree: Tree = {};
  const special: [string, Doc][] = [];
  for (const [path, value] of entries) {
    if (isDoc(value)) special.push([path, value]);
    if (path !== "_id" && (!isDoc(value) || includes)) addPath(tree, path.replace(/\.\$$/, "").split("."));
  }
  if (includes !== (idValue !== undefined && !toBoolean(idValue))) tree._id = true;
  // A positional projection reads the fields of the filter as well.
  const fields = includes && positional === undefined ? new Set(["_id", ...Object.keys(tree)]) : null;
  return {
    fields,
    apply(doc) {
      const result = (includes ? include(doc, tree) : exclude(doc, tree)) as Doc;
      for (const [path, operator] of special) applySpecial(result, doc, path, operator);
      if (positional !== undefined) keepMatched(result, doc, positional, { filter, arrayFilters: new Map() });
      return result;
    },
  };
}

function isExpression(path: string, value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!isDoc(value)) return typeof value === "object" && bsonType(value) === undefined;
  return path.includes(".") || !("$slice" in value || "$elemMatch" in value);
}

function addPath(tree: Tree, parts: string[]): void {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) {
    if (own(tree, first) !== undefined && tree[first] !== true) throw new CommandError(2, `Path collision at ${first}`);
    setOwn(tree, first, true);
    return;
  }
  const next = own(tree, first) ?? {};
  if (next === true) throw new CommandError(2, `Path collision at ${first}`);
  setOwn(tree, first, next);
  addPath(next as Tree, rest);
}

function include(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value))
    return value.filter((item) => isDoc(item) || Array.isArray(item)).map((item) => include(item, tree));
  if (!isDoc(value)) return undefined;
  const result: Doc = {};
  for (const key of Object.keys(value)) {
    const branch = own(tree, key) as Tree | true | undefined;
    const kept = branch === true ? value[key] : branch && include(value[key], branch);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function exclude(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((item) => exclude(item, tree));
  if (!isDoc(value)) return value;
  const result: Doc = {};
  for (const key of Object.keys(value)) {
    const branch = own(tree, key) as Tree | true | undefined;
    if (branch !== true) setOwn(result, key, branch === undefined ? value[key] : exclude(value[key], branch));
  }
  return result;
}

function applySpecial(result: Doc, doc: Doc, path: string, operator: Doc): void {
  const array = own(doc, path);
  if (!Array.isArray(array)) {
    if ("$elemMatch" in operator) delete result[path];
    return;
  }
  if ("$elemMatch" in operator) {
    const found = array.find(compileElement(operator.$elemMatch));
    if (found === undefined) delete result[path];
    else setOwn(result, path, [found]);
    return;
  }
  const [first = 0, count] = (Array.isArray(operator.$slice) ? operator.$slice : [operator.$slice]).map(toNumber);
  const start = count === undefined ? Math.min(0, first) : first < 0 ? Math.max(0, array.length + first) : first;
  if (count === undefined) setOwn(result, path, first < 0 ? array.slice(start) : array.slice(0, first));
  else setOwn(result, path, array.slice(start, start + count));
}

/** Applies the positional projection `array.$`, which keeps only the element that the filter matched. */
function keepMatched(result: Doc, doc: Doc, path: string, positions: Positions): void {
  const [parts = []] = resolvePath(doc, path, positions);
  const array = own(doc, parts[0] ?? "");
  if (parts.length !== 2 || !Array.isArray(array))
    throw new CommandError(2, `Positional projection '${path}' is not supported`);
  setOwn(result, parts[0] ?? "", [array[Number(parts[1])]]);
}

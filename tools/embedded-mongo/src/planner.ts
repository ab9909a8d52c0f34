import { BSONRegExp } from "bson";
import { type Candidates, candidatesOf, eachOnce, joined, type Pinnable } from "./candidates.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { afterAll, encodeKey, invertKey, rank, rankOf } from "./key-string.ts";
import { compileFilter, isOperators } from "./matcher.ts";
import type { StoredDocument } from "./stored-document.ts";
import { type Doc, isDoc, setOwn, toBoolean } from "./values.ts";

export type SortField = { path: string; parts: string[]; descending: boolean };

/** The condition of a filter on one path: a list of permitted values, or a range within one type. Keys are encoded for ascending order. */
type Bound = { values?: unknown[]; points?: string[]; low?: Edge; high?: Edge };
type Edge = { key: string; isExclusive: boolean };
type IndexEntry = readonly [string, StoredDocument];
type Range = { from: string; to: string; prefixLength: number };

export type Plan = {
  index: CollectionIndex;
  ranges: Range[];
  isSorted: boolean;
  /** True if the ranges must be merged to produce the sort order. */
  isMerged: boolean;
  descending: boolean;
  cost: number;
};

const rangesMax = 10_000;

/** Maximum number of ranges that are merged. Merging visits every range for each document, so with more ranges it is cheaper to sort the result. */
const mergedRangesMax = 200;

/**
 * Cost of a document that has to be sorted, compared with one that the index yields in order. All documents to be sorted must be read before the first one is
 * returned, while a query with a limit on an ordered index stops early. The factor is more than twice the possible error of the estimate, so that of two
 * indexes with the same rows the ordered one is preferred.
 */
const sortedCost = 4;

/** Chooses the cheapest index for a filter and sort. Returns undefined if a scan of the whole collection is as cheap. */
export function choosePlan(
  indexes: Iterable<CollectionIndex>,
  filter: Doc,
  sort: SortField[],
  size: number,
): Plan | undefined {
  const bounds = boundsOf(filter);
  let best: Plan | undefined;
  for (const index of indexes) {
    if (!isUsable(index, bounds, filter)) continue;
    const plan = planFor(index, bounds, sort);
    if (plan !== undefined && (best === undefined || plan.cost < best.cost)) best = plan;
    if (best !== undefined && best.cost <= 1) break;
  }
  if (best === undefined || (best.cost > size * (sort.length > 0 ? sortedCost : 1) && !best.isSorted)) return undefined;
  return best;
}

/** Returns a plan's documents, each once, in the requested order if the plan is sorted. */
export function walkPlan(plan: Plan): Candidates {
  const entries = plan.ranges.length > 1 && plan.isMerged ? mergeRanges(plan) : joinRanges(plan);
  const documents = candidatesOf(entries, ([, stored]) => stored);
  return plan.index.isMultikey ? eachOnce(documents) : documents;
}

function joinRanges({ index, ranges, descending }: Plan): Pinnable<IndexEntry> {
  return joined(
    ranges.map(
      ({ from, to }) =>
        () =>
          index.keys.range(from, to, descending),
    ),
  );
}

/** Merges several ranges, each of which is ordered after its own prefix, into one ordered sequence. */
function mergeRanges(plan: Plan): Pinnable<IndexEntry> {
  const sources = plan.ranges.map(({ from, to, prefixLength }) => {
    const entries = plan.index.keys.range(from, to, plan.descending);
    return { entries, prefixLength, next: entries.next() };
  });
  return {
    next: () => {
      let first: { source: (typeof sources)[number]; rest: string } | undefined;
      for (const source of sources) {
        if (source.next.done) continue;
        const rest = source.next.value[0].slice(source.prefixLength);
        if (first === undefined || rest < first.rest !== plan.descending) first = { source, rest };
      }
      if (first === undefined) return { value: undefined, done: true };
      const { next } = first.source;
      first.source.next = first.source.entries.next();
      return next;
    },
    pin: () => {
      for (const { entries } of sources) entries.pin();
    },
  };
}

function planFor(index: CollectionIndex, bounds: Map<string, Bound>, sort: SortField[]): Plan | undefined {
  let prefixes = [""];
  let position = 0;
  const pinned = new Set<string>();
  for (const { path, descending } of index.fields) {
    const points = bounds.get(path)?.points;
    if (points === undefined || prefixes.length * points.length > rangesMax) break;
    prefixes = prefixes.flatMap((prefix) => points.map((point) => prefix + (descending ? invertKey(point) : point)));
    if (points.length === 1) pinned.add(path);
    position++;
  }
  const next = index.fields[position];
  const bound = next === undefined ? undefined : bounds.get(next.path);
  const isRange = bound?.low !== undefined || bound?.high !== undefined;
  const order = sortOrder(index, sort, position, pinned);
  if (position === 0 && !isRange && (order === undefined || sort.length === 0)) return undefined;
  const [start, end] = isRange && next && bound ? edges(bound, next.descending, index.isMultikey) : ["", afterAll];
  const ranges = prefixes
    .map((prefix) => ({ from: prefix + start, to: prefix + end, prefixLength: prefix.length }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const isExact = index.spec.unique === true && position === index.fields.length;
  const rows = isExact ? ranges.length : ranges.reduce((sum, { from, to }) => sum + index.keys.estimate(from, to), 0);
  const isSorted = order !== undefined && (sort.length === 0 || ranges.length <= mergedRangesMax);
  return {
    index,
    ranges,
    isSorted,
    isMerged: isSorted && sort.length > 0,
    descending: isSorted && order === "backward",
    cost: isSorted ? rows : rows * sortedCost,
  };
}

/**
 * Returns whether reading the index after its first `position` fields yields the sort order, and in which direction.
 */
function sortOrder(
  index: CollectionIndex,
  sort: SortField[],
  position: number,
  pinned: Set<string>,
): "forward" | "backward" | undefined {
  if (sort.length === 0) return "forward";
  if (index.isMultikey) return undefined;
  const wanted = sort.filter(({ path }) => !pinned.has(path));
  if (wanted.length === 0) return "forward";
  const fields = index.fields.slice(position);
  const isForward = wanted[0]?.descending === fields[0]?.descending;
  for (const [at, { path, descending }] of wanted.entries()) {
    const field = fields[at];
    if (field === undefined || field.path !== path || (field.descending === descending) !== isForward) return undefined;
  }
  return isForward ? "forward" : "backward";
}

/**
 * Returns the range of encoded keys. For an index with arrays only one of the two limits is used, because different elements may satisfy each limit.
 */
function edges({ low, high }: Bound, descending: boolean, isMultikey: boolean): [string, string] {
  const lowest = low ?? { key: (high?.key ?? "").charAt(0), isExclusive: false };
  const wide = { key: (low?.key ?? "").charAt(0), isExclusive: false };
  const highest = isMultikey && low !== undefined ? wide : (high ?? wide);
  if (!descending) {
    return [lowest.key + (lowest.isExclusive ? afterAll : ""), highest.key + (highest.isExclusive ? "" : afterAll)];
  }
  const [first, last] = [invertKey(highest.key), invertKey(lowest.key)];
  return [first + (highest.isExclusive ? afterAll : ""), last + (lowest.isExclusive ? "" : afterAll)];
}

/** Returns the conditions of the filter on each single path. Conditions under $or and similar operators are not included. */
function boundsOf(filter: Doc, bounds = new Map<string, Bound>()): Map<string, Bound> {
  for (const [path, condition] of Object.entries(filter)) {
    if (path === "$and" && Array.isArray(condition)) for (const part of condition) boundsOf(part as Doc, bounds);
    if (path.startsWith("$")) continue;
    const bound = bounds.get(path) ?? {};
    for (const [operator, operand] of isOperators(condition)
      ? Object.entries(condition)
      : [["$eq", condition] as const]) {
      addBound(bound, operator, operand);
    }
    bounds.set(path, bound);
  }
  return bounds;
}

function addBound(bound: Bound, operator: string, operand: unknown): void {
  if (operator === "$eq" || operator === "$in") {
    const values = operator === "$eq" ? [operand] : Array.isArray(operand) ? operand : [];
    // An index cannot find these values: an array is compared as a whole but indexed by its elements, and an expression is not a value.
    if (values.some((value) => Array.isArray(value) || value instanceof BSONRegExp)) return;
    if (bound.points !== undefined && bound.points.length <= values.length) return;
    bound.values = values;
    bound.points = [...new Set(values.map((value) => encodeKey(value ?? null)))].sort();
    return;
  }
  if (!/^\$[gl]te?$/.test(operator) || [rank.null, rank.minKey, rank.array, 127].includes(rankOf(operand) as 5)) return;
  const edge = { key: encodeKey(operand), isExclusive: !operator.endsWith("e") };
  if (operator.startsWith("$gt")) bound.low ??= edge;
  else bound.high ??= edge;
}

/** Returns whether an index is usable for a filter. A sparse or partial index is usable only for filters whose matches it contains completely. */
function isUsable(index: CollectionIndex, bounds: Map<string, Bound>, filter: Doc): boolean {
  const { sparse, partialFilterExpression } = index.spec;
  if (sparse && !index.fields.some(({ path }) => demandsPresence(bounds.get(path), filter[path]))) return false;
  return partialFilterExpression === undefined || implies(filter, bounds, partialFilterExpression);
}

function demandsPresence(bound: Bound | undefined, condition: unknown): boolean {
  if (isDoc(condition) && condition.$exists !== undefined && toBoolean(condition.$exists)) return true;
  if (bound === undefined) return false;
  if (bound.values?.every((value) => value !== null && value !== undefined)) return true;
  return bound.low !== undefined || bound.high !== undefined;
}

function implies(filter: Doc, bounds: Map<string, Bound>, expression: Doc): boolean {
  return Object.entries(expression).every(([path, condition]) => {
    if (path === "$and" && Array.isArray(condition))
      return condition.every((part) => implies(filter, bounds, part as Doc));
    if (path.startsWith("$")) return false;
    const bound = bounds.get(path);
    if (Object.hasOwn(filter, path) && encodeKey(filter[path]) === encodeKey(condition)) return true;
    if (bound?.values !== undefined) {
      const holds = compileFilter({ value: condition });
      return bound.values.every((value) => holds({ value }));
    }
    if (!isOperators(condition)) return false;
    return Object.entries(condition).every(([operator, operand]) => {
      if (operator === "$exists") return toBoolean(operand) && demandsPresence(bound, filter[path]);
      const needed: Bound = {};
      addBound(needed, operator, operand);
      if (needed.low) return bound?.low !== undefined && isWithin(bound.low, needed.low, (a, b) => a > b);
      if (needed.high) return bound?.high !== undefined && isWithin(bound.high, needed.high, (a, b) => a < b);
      return false;
    });
  });
}

function isWithin(given: Edge, needed: Edge, beyond: (a: string, b: string) => boolean): boolean {
  if (given.key.charAt(0) !== needed.key.charAt(0)) return false;
  return beyond(given.key, needed.key) || (given.key === needed.key && (given.isExclusive || !needed.isExclusive));
}

/** Returns the fields that a filter requires to have one value. An upsert starts its document with them. */
export function pinnedFields(filter: Doc, pinned: Doc = {}): Doc {
  for (const [path, condition] of Object.entries(filter)) {
    if (path === "$and" && Array.isArray(condition)) for (const part of condition) pinnedFields(part as Doc, pinned);
    if (path.startsWith("$")) continue;
    if (!isOperators(condition)) setOwn(pinned, path, condition);
    else if (Object.hasOwn(condition, "$eq")) setOwn(pinned, path, condition.$eq);
  }
  return pinned;
}

import { CommandError } from "./errors.ts";
import { encodeKey, invertKey } from "./key-string.ts";
import { compileFilter, type Match } from "./matcher.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { StoredDocument } from "./stored-document.ts";
import { type Doc, isDoc, own, toNumber } from "./values.ts";

export type IndexSpec = {
  name: string;
  key: Doc;
  unique?: boolean;
  sparse?: boolean;
  partialFilterExpression?: Doc;
  expireAfterSeconds?: unknown;
};

export class CollectionIndex {
  readonly spec: IndexSpec;
  readonly fields: { path: string; parts: string[]; descending: boolean }[];
  #keys = new SortedKeys<StoredDocument>();
  /** True once a document has had several keys: a key range may then contain it more than once. */
  isMultikey = false;
  readonly #covers: Match;
  /** Top-level fields on which the keys depend; null if a condition of the index may read any field. */
  readonly roots: readonly string[] | null;

  constructor(spec: IndexSpec) {
    this.spec = spec;
    this.fields = Object.entries(spec.key).map(([path, direction]) => ({
      path,
      parts: path.split("."),
      descending: (toNumber(direction) ?? 1) < 0,
    }));
    this.#covers = spec.partialFilterExpression ? compileFilter(spec.partialFilterExpression) : () => true;
    const paths = [...Object.keys(spec.key), ...Object.keys(spec.partialFilterExpression ?? {})];
    this.roots = paths.some((path) => path.startsWith("$")) ? null : paths.map((path) => path.split(".")[0] ?? path);
  }

  get keys(): SortedKeys<StoredDocument> {
    return this.#keys;
  }

  /** Returns whether a change of these top-level fields may change a document's keys. */
  dependsOn(changed: ReadonlySet<string>): boolean {
    return this.roots === null || this.roots.some((root) => changed.has(root));
  }

  /** Returns the document's keys without its number. The list is empty if the index is sparse or partial and does not contain the document. */
  keysOf(doc: Doc): string[] {
    if (!this.#covers(doc)) return [];
    const single = this.#singleKeyOf(doc);
    if (single !== undefined) return [single];
    const values = this.fields.map(({ parts }) => indexedValues(doc, parts, 0));
    if (this.spec.sparse && values.every((list) => list.every((value) => value === undefined))) return [];
    const arrays = this.fields.map(({ parts }) => arraysAt(doc, parts)).filter((met) => met.length > 0);
    const isShared = arrays.every((met) => met.length === 1 && met[0] === arrays[0]?.[0]);
    if (arrays.length > 1 && !(isShared && values.filter((list) => list.length > 1).length <= 1)) {
      throw new CommandError(171, `cannot index parallel arrays [${this.fields.map(({ path }) => path).join("] [")}]`);
    }
    let keys = [""];
    values.forEach((list, position) => {
      const descending = this.fields[position]?.descending === true;
      const encoded = list.map((value) => {
        const key = value === emptyArray ? encodeKey(undefined) : encodeKey(value ?? null);
        return descending ? invertKey(key) : key;
      });
      keys =
        encoded.length === 1
          ? keys.map((key) => key + encoded[0])
          : keys.flatMap((key) => encoded.map((end) => key + end));
    });
    return keys.length > 1 ? [...new Set(keys)] : keys;
  }

  /** Returns the only key of a document without arrays in an index of top-level fields, or undefined for any other document. */
  #singleKeyOf(doc: Doc): string | undefined {
    let key = "";
    for (const { path, parts, descending } of this.fields) {
      const value = parts.length === 1 ? own(doc, path) : undefined;
      if (parts.length > 1 || Array.isArray(value) || (value === undefined && this.spec.sparse)) return undefined;
      const encoded = encodeKey(value ?? null);
      key += descending ? invertKey(encoded) : encoded;
    }
    return key;
  }

  /** Throws the duplicate-key error if a document other than `except` already has one of the keys. */
  assertUnique(namespace: string, keys: string[], doc: Doc, except?: StoredDocument): void {
    if (!this.spec.unique) return;
    for (const key of keys) {
      if (this.#keys.first(key, except) !== undefined) throw duplicateKey(namespace, this.spec, doc);
    }
  }

  add(stored: StoredDocument, keys: string[]): void {
    if (keys.length > 1) this.isMultikey = true;
    for (const key of keys) this.#keys.insert(key + numberKey(stored.number), stored);
  }

  /** Returns the stored keys of a document, for `fill`. */
  entriesOf(number: number, doc: Doc): string[] {
    const keys = this.keysOf(doc);
    if (keys.length > 1) this.isMultikey = true;
    return keys.map((key) => key + numberKey(number));
  }

  /** Replaces the content with the entries of documents that are known to be unique. */
  fill(entries: string[], documents: ReadonlyMap<number, StoredDocument>): void {
    this.#keys = SortedKeys.of(entries, (entry) => documents.get(numberOf(entry)) as StoredDocument);
  }

  remove(stored: StoredDocument, keys: string[]): void {
    for (const key of keys) this.#keys.remove(key + numberKey(stored.number));
  }
}

const emptyArray = Symbol("an array without elements");

/** Returns the values at a path, one for each element of an array; a missing field counts as one undefined. */
export function indexedValues(value: unknown, parts: string[], depth: number): unknown[] {
  const part = parts[depth];
  if (part === undefined) {
    if (!Array.isArray(value)) return [value];
    return value.length === 0 ? [emptyArray] : value.map((element) => element ?? null);
  }
  if (Array.isArray(value)) {
    if (/^\d+$/.test(part) && Number(part) < value.length) return indexedValues(value[Number(part)], parts, depth + 1);
    const inside = value.filter(isDoc).flatMap((element) => indexedValues(element, parts, depth));
    return inside.length === 0 ? [undefined] : inside;
  }
  return isDoc(value) ? indexedValues(own(value, part), parts, depth + 1) : [undefined];
}

/** Returns the arrays that a path leads through or ends at. */
function arraysAt(value: unknown, parts: readonly string[]): unknown[][] {
  const [part, ...rest] = parts;
  if (Array.isArray(value)) {
    if (part === undefined) return [value];
    if (/^\d+$/.test(part) && Number(part) < value.length) return arraysAt(value[Number(part)], rest);
    return [value, ...value.filter(isDoc).flatMap((element) => arraysAt(element, parts))];
  }
  return part !== undefined && isDoc(value) ? arraysAt(own(value, part), rest) : [];
}

/** Returns a document's sort key. For an array it is the least element in ascending order, and the greatest in descending order. */
export function sortKeyOf(doc: Doc, sort: { parts: string[]; descending: boolean }[]): string {
  let key = "";
  for (const { parts, descending } of sort) {
    const keys = indexedValues(doc, parts, 0).map((value) =>
      value === emptyArray ? encodeKey(undefined) : encodeKey(value ?? null),
    );
    const chosen = keys.reduce((a, b) => (b < a === !descending ? b : a));
    key += descending ? invertKey(chosen) : chosen;
  }
  return key;
}

const numberLength = 6;

/** Encodes a document's number as the end of an entry: its bytes, the most significant first. */
function numberKey(number: number): string {
  const high = Math.floor(number / 2 ** 32);
  const [b2, b1, b0] = [(number >>> 16) & 0xff, (number >>> 8) & 0xff, number & 0xff];
  return String.fromCharCode(high >>> 8, high & 0xff, number >>> 24, b2, b1, b0);
}

/** Decodes the number at the end of an entry. */
function numberOf(entry: string): number {
  let number = 0;
  for (let at = entry.length - numberLength; at < entry.length; at++) number = number * 256 + entry.charCodeAt(at);
  return number;
}

function duplicateKey(namespace: string, spec: IndexSpec, doc: Doc): CommandError {
  const keyValue: Doc = {};
  for (const path of Object.keys(spec.key)) {
    const [value] = indexedValues(doc, path.split("."), 0);
    keyValue[path] = value === emptyArray ? undefined : (value ?? null);
  }
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${showValue(value)}`);
  const message = `E11000 duplicate key error collection: ${namespace} index: ${spec.name} dup key: { ${shown.join(", ")} }`;
  return new CommandError(11000, message, { keyPattern: spec.key, keyValue });
}

function showValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  const number = toNumber(value);
  if (number !== undefined) return String(value);
  if (typeof value !== "object" || value === null) return String(value);
  const type = (value as { _bsontype?: string })._bsontype;
  if (type === "ObjectId") return `ObjectId('${String(value)}')`;
  if (type === "Binary") return (value as { sub_type: number }).sub_type === 4 ? `UUID("${String(value)}")` : "BinData";
  return JSON.stringify(value);
}

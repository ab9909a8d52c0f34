import { ObjectId } from "bson";
import { allCandidates, type Candidates, eachOnce, joined, listedCandidates } from "./candidates.ts";
import { CollectionIndex, type IndexSpec, sortKeyOf } from "./collection-index.ts";
import type { DocumentRow } from "./database-file.ts";
import { CommandError } from "./errors.ts";
import { fieldsOf, rootOf } from "./filter-fields.ts";
import type { Journal } from "./journal.ts";
import { encodeKey, rank, rankOf } from "./key-string.ts";
import { compileFilter } from "./matcher.ts";
import { choosePlan, type SortField, walkPlan } from "./planner.ts";
import { Scan, whenFound } from "./scan.ts";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { bsonType, type Doc, decode, documentBytesMax, encode, own } from "./values.ts";

/** The callback `examined` is called for each document that is examined, to count them for `explain`. */
export type Selection = {
  filter: Doc;
  sort?: SortField[];
  skip?: number;
  limit?: number;
  examined?: () => void;
  /** Time, by performance.now(), at which the selection fails with MaxTimeMSExpired. */
  untilMs?: number;
};

/** The documents of one namespace in memory, with their indexes; every change is also appended to the journal. */
export class Collection {
  readonly id: number;
  readonly namespace: string;
  readonly indexes = new Map<string, CollectionIndex>();
  readonly documents = new Map<number, StoredDocument>();
  readonly #journal: Journal;
  readonly #parsed = new ParsedDocuments();
  #nextNumber = 1;

  constructor(id: number, namespace: string, specs: IndexSpec[], journal: Journal) {
    this.id = id;
    this.namespace = namespace;
    this.#journal = journal;
    for (const spec of specs) this.indexes.set(spec.name, new CollectionIndex(spec));
  }

  /** Puts the documents read from disk into memory. */
  load(documents: Iterable<DocumentRow>): void {
    const filled = [...this.indexes.values()].map((index) => ({ index, entries: [] as string[] }));
    for (const [number, bytes] of documents) {
      // The document is parsed here only for its index keys. When it is read, it is parsed again.
      const doc = decode(bytes);
      for (const { index, entries } of filled) for (const entry of index.entriesOf(number, doc)) entries.push(entry);
      this.documents.set(number, new StoredDocument(number, bytes, this.#parsed));
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
    }
    for (const { index, entries } of filled) index.fill(entries, this.documents);
  }

  insert(given: Uint8Array | Doc): Doc {
    let doc = given instanceof Uint8Array ? decode(given) : given;
    let bytes = given instanceof Uint8Array ? given : undefined;
    if (Object.keys(doc)[0] !== "_id") {
      doc = { _id: own(doc, "_id") ?? new ObjectId(), ...doc };
      bytes = undefined;
    }
    assertId(doc._id);
    const stored = new StoredDocument(this.#nextNumber, bytes ?? encode(doc), this.#parsed, doc);
    assertSize(stored.bytes);
    this.#store(stored, doc);
    this.#nextNumber++;
    this.#journal.put(this.id, stored.number, stored.bytes);
    return doc;
  }

  /** Replaces a document's content, which was `before`; false if it was already the same. Its _id must not change. */
  replace(stored: StoredDocument, before: Doc, doc: Doc): boolean {
    const bytes = encode(doc);
    if (bytes.equals(stored.bytes)) return false;
    assertSize(bytes);
    const changes = [];
    const changed = changedFields(before, doc);
    for (const index of this.indexes.values()) {
      if (!index.dependsOn(changed)) continue;
      const [removed, added] = [index.keysOf(before), index.keysOf(doc)];
      if (removed.length === added.length && removed.every((key, at) => key === added[at])) continue;
      index.assertUnique(this.namespace, added, doc, stored);
      changes.push({ index, removed, added });
    }
    for (const { index, removed, added } of changes) {
      index.remove(stored, removed);
      index.add(stored, added);
    }
    stored.change(bytes, doc);
    this.#journal.put(this.id, stored.number, bytes);
    return true;
  }

  remove(stored: StoredDocument): void {
    const { doc } = stored;
    for (const index of this.indexes.values()) index.remove(stored, index.keysOf(doc));
    this.documents.delete(stored.number);
    this.#journal.remove(this.id, stored.number);
  }

  addIndex(spec: IndexSpec): void {
    const index = new CollectionIndex(spec);
    for (const stored of this.documents.values()) {
      const { doc } = stored;
      const keys = index.keysOf(doc);
      index.assertUnique(this.namespace, keys, doc);
      index.add(stored, keys);
    }
    this.indexes.set(spec.name, index);
  }

  /** Finds the stored documents of a selection in order to change them. No other command is served meanwhile. */
  select(selection: Selection): StoredDocument[] {
    const { scan, finish } = this.#scan(selection);
    return finish(scan.atOnce());
  }

  /**
   * Finds the documents of a selection. If examining them takes long, it returns a promise, and other commands are served meanwhile.
   */
  selectInTurns(selection: Selection): StoredDocument[] | Promise<StoredDocument[]> {
    const { scan, finish } = this.#scan(selection);
    return whenFound(scan.inTurns(), finish);
  }

  #scan({ filter, sort = [], skip = 0, limit = 0, examined, untilMs }: Selection) {
    const matches = compileFilter(filter);
    // Parsing every document of a large collection would take seconds, and an empty filter needs none.
    const isAll = Object.keys(filter).length === 0;
    const { candidates, isSorted } = this.#byId(filter) ?? this.#candidates(filter, sort);
    const end = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
    const matchesMax = isSorted ? end : Number.POSITIVE_INFINITY;
    const scan = new Scan(candidates, {
      matches: isAll ? null : matches,
      fields: fieldsOf(filter),
      matchesMax,
      examined,
      untilMs,
    });
    const sorted = new Set(sort.map(({ path }) => rootOf(path)));
    const finish = (found: StoredDocument[]): StoredDocument[] => {
      if (isSorted) return skip > 0 ? found.slice(skip) : found;
      const keyed = found.map((stored) => ({ key: sortKeyOf(stored.read(sorted), sort), stored }));
      keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.stored.number - b.stored.number));
      return keyed.slice(skip, end).map(({ stored }) => stored);
    };
    return { scan, finish };
  }

  count(filter: Doc, untilMs = Number.POSITIVE_INFINITY): number | Promise<number> {
    if (Object.keys(filter).length === 0) return this.documents.size;
    return whenFound(this.selectInTurns({ filter, untilMs }), ({ length }) => length);
  }

  /** Formats the plan as `explain` shows it. */
  explain(filter: Doc, sort: SortField[]): Doc {
    const plan = choosePlan(this.indexes.values(), filter, sort, this.documents.size);
    if (plan === undefined) {
      const clauses = this.#clausePlans(filter);
      if (clauses === undefined) return { stage: "COLLSCAN" };
      return {
        stage: "OR",
        inputStages: clauses.map(({ index }) => ({ stage: "IXSCAN", indexName: index.spec.name })),
      };
    }
    const scan = { stage: "IXSCAN", indexName: plan.index.spec.name, keyPattern: plan.index.spec.key };
    return plan.isSorted ? scan : { stage: "SORT", inputStage: scan };
  }

  /** Finds the document of a filter with an _id directly, without comparing the cost of other indexes. */
  #byId(filter: Doc): { candidates: Candidates; isSorted: boolean } | undefined {
    const id = own(filter, "_id");
    if (typeof id !== "string" && bsonType(id) !== "ObjectId") return undefined;
    const stored = this.indexes.get("_id_")?.keys.first(encodeKey(id));
    return { candidates: listedCandidates(stored === undefined ? [] : [stored]), isSorted: true };
  }

  #candidates(filter: Doc, sort: SortField[]): { candidates: Candidates; isSorted: boolean } {
    const plan = choosePlan(this.indexes.values(), filter, sort, this.documents.size);
    if (plan !== undefined) return { candidates: walkPlan(plan), isSorted: plan.isSorted };
    const clauses = this.#clausePlans(filter);
    const candidates =
      clauses === undefined
        ? allCandidates(this.documents, () => this.#nextNumber - 1)
        : eachOnce(joined(clauses.map((clause) => () => walkPlan(clause))));
    return { candidates, isSorted: sort.length === 0 };
  }

  /** Returns one plan for each clause of an $or, or undefined if a clause has no plan. */
  #clausePlans(filter: Doc) {
    if (!Array.isArray(filter.$or)) return undefined;
    const plans = filter.$or.map((clause) => choosePlan(this.indexes.values(), clause, [], this.documents.size));
    return plans.every((plan) => plan !== undefined) ? plans : undefined;
  }

  #store(stored: StoredDocument, doc: Doc): void {
    const entries = [...this.indexes.values()].map((index) => ({ index, keys: index.keysOf(doc) }));
    for (const { index, keys } of entries) index.assertUnique(this.namespace, keys, doc);
    for (const { index, keys } of entries) index.add(stored, keys);
    this.documents.set(stored.number, stored);
  }
}

/** Returns the top-level fields that differ between two documents. */
function changedFields(before: Doc, after: Doc): Set<string> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) if (own(before, name) === own(after, name)) names.delete(name);
  return names;
}

function assertId(id: unknown): void {
  if (rankOf(id) === rank.array || bsonType(id) === "BSONRegExp") {
    throw new CommandError(53, "The '_id' value cannot be of type array or regex");
  }
}

function assertSize(bytes: Uint8Array): void {
  if (bytes.length > documentBytesMax) throw new CommandError(10334, `BSONObj size: ${bytes.length} is invalid`);
}

/** Compiles a sort document; throws BadValue on anything but 1 and -1. */
export function sortFields(sort: Doc | undefined): SortField[] {
  return Object.entries(sort ?? {}).map(([path, direction]) => {
    const sign = Number(String(direction));
    if (sign !== 1 && sign !== -1)
      throw new CommandError(2, `Illegal sort direction for ${path}: only 1 and -1 are supported`);
    return { path, parts: path.split("."), descending: sign === -1 };
  });
}

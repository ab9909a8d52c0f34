import { type Doc, decode, decodeFields } from "./values.ts";

/**
 * Number of documents of one collection that are kept parsed. The others are kept as bytes, in a third of the memory.
 * The number is small, so that a minor garbage collection frees a parsed form. It is more than the 1,000 unfinished runs
 * that a subscription may have: a query over more documents than are kept parses each of them again.
 */
const parsedLengthMax = 2_000;

/**
 * Largest document that is kept parsed, in bytes. Larger ones are parsed anew for each use, and only the fields that are needed. Otherwise 1,000 documents of
 * 1 MB would fill the heap, and a scan of such documents would create more garbage than it examines.
 */
export const parsedBytesMax = 16 * 1024;

/** Parses a document, or of a large one only these top-level fields. */
export function parse(bytes: Uint8Array, fields: ReadonlySet<string> | null): Doc {
  return fields === null || bytes.length <= parsedBytesMax ? decode(bytes) : decodeFields(bytes, fields);
}

/** The most recently parsed documents, in a ring buffer: a new one evicts the parsed form of the oldest. */
export class ParsedDocuments {
  readonly #ring: StoredDocument[] = [];
  readonly #lengthMax: number;
  #next = 0;

  constructor(lengthMax = parsedLengthMax) {
    this.#lengthMax = lengthMax;
  }

  keep(stored: StoredDocument): void {
    this.#ring[this.#next]?.forget();
    this.#ring[this.#next] = stored;
    this.#next = (this.#next + 1) % this.#lengthMax;
  }
}

/** A stored document: its number determines the natural order, and a plain find returns its bytes. */
export class StoredDocument {
  readonly number: number;
  #bytes: Uint8Array;
  #doc: Doc | undefined;
  readonly #parsed: ParsedDocuments;

  constructor(number: number, bytes: Uint8Array, parsed: ParsedDocuments, doc?: Doc) {
    this.number = number;
    this.#bytes = bytes;
    this.#parsed = parsed;
    if (doc !== undefined) this.change(bytes, doc);
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The parsed document, which callers must not change. */
  get doc(): Doc {
    if (this.#doc !== undefined) return this.#doc;
    const doc = decode(this.#bytes);
    this.change(this.#bytes, doc);
    return doc;
  }

  /** Returns the document with at least these top-level fields, or with all of them for null. Callers must not change it. */
  read(fields: ReadonlySet<string> | null): Doc {
    return this.#bytes.length <= parsedBytesMax ? this.doc : parse(this.#bytes, fields);
  }

  change(bytes: Uint8Array, doc: Doc): void {
    const isKept = bytes.length <= parsedBytesMax;
    if (isKept && this.#doc === undefined) this.#parsed.keep(this);
    this.#bytes = bytes;
    this.#doc = isKept ? doc : undefined;
  }

  /** Returns the current document, which later changes do not affect. */
  copy(): StoredDocument {
    return new StoredDocument(this.number, this.#bytes, this.#parsed);
  }

  forget(): void {
    this.#doc = undefined;
  }
}

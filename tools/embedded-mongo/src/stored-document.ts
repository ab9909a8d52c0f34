import { pick } from "./splice.ts";
import { type Doc, decode } from "./values.ts";

/**
 * How many documents of one collection are kept parsed. Of the others only the bytes are kept, a third of the memory. The number is small, so
 * that a parsed form is freed by a young collection.
 */
const parsedLengthMax = 1_000;

/** The documents parsed last, in a ring: taking a place in it takes the parsed form from the one before. */
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

/** A stored document: its number gives the natural order, its bytes are what a plain find answers with. */
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

  /** The parsed document; never to be changed. */
  get doc(): Doc {
    if (this.#doc !== undefined) return this.#doc;
    const doc = decode(this.#bytes);
    this.change(this.#bytes, doc);
    return doc;
  }

  /** As much of the document as says these top-level fields: what is parsed for a look is not kept. */
  glance(names: ReadonlySet<string>): Doc {
    return this.#doc ?? decode(pick(this.#bytes, names) ?? this.#bytes);
  }

  change(bytes: Uint8Array, doc: Doc): void {
    if (this.#doc === undefined) this.#parsed.keep(this);
    this.#bytes = bytes;
    this.#doc = doc;
  }

  forget(): void {
    this.#doc = undefined;
  }
}

const chunkLengthMax = 256;
/** Chunks start partly filled, so that early insertions need no new chunk. */
const chunkLengthFilled = 192;

/** A chunk that pinned entries share must not be changed; it is replaced by a copy first. */
type Chunk<T> = { keys: string[]; values: T[]; isShared: boolean };

/** The entries of a range, in order. */
export interface Entries<T> extends IterableIterator<readonly [string, T]> {
  /** Keeps the remaining entries as they are now, whatever changes in the map afterwards. It copies no entries. */
  pin(): void;
}

/**
 * A sorted map in chunks: an insertion moves at most one chunk, so it stays cheap in large collections. Keys are
 * unique.
 */
export class SortedKeys<T> {
  #chunks: Chunk<T>[] = [{ keys: [], values: [], isShared: false }];
  /** The first key of each chunk. A search among chunks reads only this list, and not the chunks. */
  #firsts: string[] = [""];
  size = 0;

  /** Builds a map from many keys in any order. Sorting them once costs a fraction of inserting each of them. */
  static of<T>(keys: string[], valueAt: (key: string) => T): SortedKeys<T> {
    const sorted = new SortedKeys<T>();
    if (keys.length === 0) return sorted;
    // Without a comparator strings are ordered by their UTF-16 units, as `<` orders them.
    keys.sort();
    sorted.#chunks = [];
    sorted.#firsts = [];
    for (let at = 0; at < keys.length; at += chunkLengthFilled) {
      const some = keys.slice(at, at + chunkLengthFilled);
      sorted.#chunks.push({ keys: some, values: some.map(valueAt), isShared: false });
      sorted.#firsts.push(keys[at] as string);
    }
    sorted.size = keys.length;
    return sorted;
  }

  insert(key: string, value: T): void {
    const number = this.#chunkFor(key);
    const chunk = this.#ownChunk(number);
    const at = firstAtLeast(chunk.keys, key);
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.size++;
    if (at === 0) this.#firsts[number] = key;
    if (chunk.keys.length <= chunkLengthMax) return;
    // Ascending insertions are the common case, so a full last chunk stays full instead of being split into halves.
    const middle = number === this.#chunks.length - 1 && at === chunkLengthMax ? chunkLengthMax : chunkLengthMax / 2;
    const rest = { keys: chunk.keys.splice(middle), values: chunk.values.splice(middle), isShared: false };
    this.#chunks.splice(number + 1, 0, rest);
    this.#firsts.splice(number + 1, 0, rest.keys[0] as string);
  }

  remove(key: string): void {
    const number = this.#chunkFor(key);
    const at = firstAtLeast(this.#chunk(number).keys, key);
    if (this.#chunk(number).keys[at] !== key) return;
    const chunk = this.#ownChunk(number);
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.size--;
    if (chunk.keys.length === 0 && this.#chunks.length > 1) {
      this.#chunks.splice(number, 1);
      this.#firsts.splice(number, 1);
    } else if (at === 0) this.#firsts[number] = chunk.keys[0] ?? "";
  }

  /**
   * Returns the entries with from ≤ key < to, in ascending or descending order. They must be pinned before the map
   * changes.
   */
  range(from: string, to: string, descending = false): Entries<T> {
    const step = descending ? -1 : 1;
    const isPast = descending ? (key: string) => key < from : (key: string) => key >= to;
    let chunks: readonly Chunk<T>[] = this.#chunks;
    let number = this.#chunkFor(descending ? to : from);
    let at = descending ? firstAtLeast(this.#chunk(number).keys, to) - 1 : firstAtLeast(this.#chunk(number).keys, from);
    const next = (): IteratorResult<readonly [string, T]> => {
      let chunk = chunks[number];
      while (chunk !== undefined && (at < 0 || at >= chunk.keys.length)) {
        number += step;
        chunk = chunks[number];
        if (chunk !== undefined) at = descending ? chunk.keys.length - 1 : 0;
      }
      const key = chunk?.keys[at];
      if (chunk === undefined || key === undefined || isPast(key)) {
        chunks = [];
        return { value: undefined, done: true };
      }
      const value = [key, chunk.values[at] as T] as const;
      at += step;
      return { value, done: false };
    };
    const pin = (): void => {
      if (chunks !== this.#chunks) return;
      const [first, last] = descending ? [this.#chunkFor(from), number] : [number, this.#chunkFor(to)];
      chunks = this.#chunks.slice(first, last + 1);
      for (const chunk of chunks) chunk.isShared = true;
      number -= first;
    };
    return {
      next,
      pin,
      [Symbol.iterator]() {
        return this;
      },
    };
  }

  /** Returns the first value under a prefix other than `except`. */
  first(prefix: string, except?: T): T | undefined {
    let number = this.#chunkFor(prefix);
    let chunk = this.#chunk(number);
    for (let at = firstAtLeast(chunk.keys, prefix); ; at++) {
      while (at >= chunk.keys.length) {
        const next = this.#chunks[++number];
        if (next === undefined) return undefined;
        chunk = next;
        at = 0;
      }
      if (!(chunk.keys[at] as string).startsWith(prefix)) return undefined;
      const value = chunk.values[at] as T;
      if (value !== except) return value;
    }
  }

  /** Returns the approximate number of entries in the range. It is exact if the range is within one chunk. */
  estimate(from: string, to: string): number {
    const [first, last] = [this.#chunkFor(from), this.#chunkFor(to)];
    const inside = firstAtLeast(this.#chunk(last).keys, to) - firstAtLeast(this.#chunk(first).keys, from);
    return Math.max(0, inside + (last - first) * Math.ceil(this.size / this.#chunks.length));
  }

  /** Returns the number of the last chunk that starts at or before the key. */
  #chunkFor(key: string): number {
    const firsts = this.#firsts;
    let low = 0;
    let high = firsts.length - 1;
    // Ascending insertions are appended at the end.
    if ((firsts[high] as string) <= key) return high;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((firsts[middle] as string) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns a chunk that may be changed. */
  #ownChunk(number: number): Chunk<T> {
    const chunk = this.#chunk(number);
    if (!chunk.isShared) return chunk;
    const own = { keys: [...chunk.keys], values: [...chunk.values], isShared: false };
    this.#chunks[number] = own;
    return own;
  }

  #chunk(number: number): Chunk<T> {
    return this.#chunks[number] as Chunk<T>;
  }
}

function firstAtLeast(keys: string[], key: string): number {
  let low = 0;
  let high = keys.length;
  if (high > 0 && (keys[high - 1] as string) < key) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

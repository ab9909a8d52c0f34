const chunkLengthMax = 256;
/** Chunks start partly filled, so that early insertions need no new chunk. */
const chunkLengthFilled = 192;

type Chunk<T> = { keys: string[]; values: T[] };

/**
 * A sorted map in chunks: an insertion moves at most one chunk, so it stays cheap in large collections. Keys are
 * unique.
 */
export class SortedKeys<T> {
  #chunks: Chunk<T>[] = [{ keys: [], values: [] }];
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
      sorted.#chunks.push({ keys: some, values: some.map(valueAt) });
      sorted.#firsts.push(keys[at] as string);
    }
    sorted.size = keys.length;
    return sorted;
  }

  insert(key: string, value: T): void {
    const number = this.#chunkFor(key);
    const chunk = this.#chunk(number);
    const at = firstAtLeast(chunk.keys, key);
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.size++;
    if (at === 0) this.#firsts[number] = key;
    if (chunk.keys.length <= chunkLengthMax) return;
    // Ascending insertions are the common case, so a full last chunk stays full instead of being split into halves.
    const middle = number === this.#chunks.length - 1 && at === chunkLengthMax ? chunkLengthMax : chunkLengthMax / 2;
    const rest = { keys: chunk.keys.splice(middle), values: chunk.values.splice(middle) };
    this.#chunks.splice(number + 1, 0, rest);
    this.#firsts.splice(number + 1, 0, rest.keys[0] as string);
  }

  remove(key: string): void {
    const number = this.#chunkFor(key);
    const chunk = this.#chunk(number);
    const at = firstAtLeast(chunk.keys, key);
    if (chunk.keys[at] !== key) return;
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.size--;
    if (chunk.keys.length === 0 && this.#chunks.length > 1) {
      this.#chunks.splice(number, 1);
      this.#firsts.splice(number, 1);
    } else if (at === 0) this.#firsts[number] = chunk.keys[0] ?? "";
  }

  /** Iterates over the entries with from ≤ key < to, in ascending or descending order. The map must not change meanwhile. */
  *range(from: string, to: string, descending = false): Generator<readonly [string, T]> {
    const step = descending ? -1 : 1;
    let number = this.#chunkFor(descending ? to : from);
    let chunk = this.#chunk(number);
    let at = descending ? firstAtLeast(chunk.keys, to) - 1 : firstAtLeast(chunk.keys, from);
    for (;;) {
      for (; at >= 0 && at < chunk.keys.length; at += step) {
        const key = chunk.keys[at] as string;
        if (descending ? key < from : key >= to) return;
        yield [key, chunk.values[at] as T];
      }
      number += step;
      const next = this.#chunks[number];
      if (next === undefined) return;
      chunk = next;
      at = descending ? chunk.keys.length - 1 : 0;
    }
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

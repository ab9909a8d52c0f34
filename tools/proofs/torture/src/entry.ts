/** One request of the load: its key and what was acknowledged. Entries are small, because a long run has millions. */
export type Entry = {
  readonly clientId: string;
  readonly key: string;
  /** Id that the platform returned; null until a request was acknowledged. */
  id: string | null;
  /** A different id, returned for another attempt: a retry has created a second record. */
  otherId: string | null;
  /** Attempts without a final response. */
  retries: number;
  /** A permanent refusal, which should never occur because every request is valid. */
  refusal: string | null;
  /** Id found in the store; null until one was found. */
  storedId: string | null;
  /** True if a second record with this key was found. */
  isDoubled: boolean;
};

/** The requests of one domain's load, by key. */
export type Entries = Map<string, Entry>;

/** Records a new request. */
export function begin(entries: Entries, clientId: string, key: string): Entry {
  const entry: Entry = {
    clientId,
    key,
    id: null,
    otherId: null,
    retries: 0,
    refusal: null,
    storedId: null,
    isDoubled: false,
  };
  entries.set(key, entry);
  return entry;
}

/** Records the id that a request returned. */
export function acknowledge(entry: Entry, id: string): void {
  if (entry.id === null) entry.id = id;
  else if (entry.id !== id) entry.otherId = id;
}

/** Records a document that was found in a store. */
export function found(entry: Entry, id: string): void {
  if (entry.storedId === null) entry.storedId = id;
  else entry.isDoubled = true;
}

/** Numbers that must be 1, 2, 3, … without a gap or a duplicate. */
export function createSequence() {
  let seen = new Uint8Array(1 << 16);
  let count = 0;
  let largest = 0;
  let repeated = 0;
  return {
    add: (number: number): void => {
      if (number >= seen.length) {
        const larger = new Uint8Array(2 ** Math.ceil(Math.log2(number + 1)));
        larger.set(seen);
        seen = larger;
      }
      if (seen[number] === 1) repeated += 1;
      seen[number] = 1;
      count += 1;
      largest = Math.max(largest, number);
    },
    isWhole: (): boolean => repeated === 0 && count === largest,
  };
}

/** One request of the load: its key, and what was acknowledged. It is kept small, because a long run has millions. */
export type Entry = {
  readonly clientId: string;
  readonly key: string;
  /** Id that the platform returned; null while nothing was acknowledged. */
  id: string | null;
  /** Another id, returned to another attempt: a retry created a second record. */
  otherId: string | null;
  /** Requests for it that had no final answer, and were sent again or given up for others. */
  retries: number;
  /** A final refusal, which the load never earns. */
  refusal: string | null;
  /** Id found in the store; null while none was. */
  storedId: string | null;
  /** Was a second thing found with this key? */
  isDoubled: boolean;
};

/** The requests of the load of one domain, by key. */
export type Entries = Map<string, Entry>;

/** Records that something is requested. */
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

/** Records a thing that was found in a store. */
export function found(entry: Entry, id: string): void {
  if (entry.storedId === null) entry.storedId = id;
  else entry.isDoubled = true;
}

/** Numbers that must be 1, 2, 3, … each once. */
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

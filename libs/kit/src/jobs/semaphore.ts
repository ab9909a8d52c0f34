/** Releases a permit; repeating it does nothing. */
export type Release = () => void;

/** A counting semaphore that also limits the permits of each key, for example of each client or each target. */
export type Semaphore<D extends string> = {
  /**
   * Acquires a permit that counts under each of the keys. Returns null if one of the keys, or the semaphore as a whole,
   * has no free permit.
   */
  tryAcquire(keys: Readonly<Record<D, string>>): Release | null;
  /** Returns the number of permits in use, by all keys or by one. */
  held(): number;
  heldBy(dimension: D, key: string): number;
  /** Returns the keys that hold permits. */
  keysHeld(dimension: D): string[];
  /** Returns the number of free permits of a key; permits of other keys do not matter. */
  freeFor(dimension: D, key: string): number;
};

type Limits<D extends string> = {
  readonly total: number;
  /** Maximum number of permits of a key, which may depend on the number of keys that hold permits. */
  readonly by: { readonly [K in D]: (key: string, keysHeld: number) => number };
};

export function createSemaphore<D extends string>({ total, by }: Limits<D>): Semaphore<D> {
  const dimensions = Object.keys(by) as D[];
  const counts = new Map(dimensions.map((dimension) => [dimension, new Map<string, number>()]));
  const countsOf = (dimension: D): Map<string, number> => counts.get(dimension) as Map<string, number>;
  let held = 0;

  const heldBy = (dimension: D, key: string): number => countsOf(dimension).get(key) ?? 0;
  const freeFor = (dimension: D, key: string): number =>
    Math.max(0, by[dimension](key, countsOf(dimension).size) - heldBy(dimension, key));
  const add = (dimension: D, key: string, change: number): void => {
    const count = heldBy(dimension, key) + change;
    if (count === 0) countsOf(dimension).delete(key);
    else countsOf(dimension).set(key, count);
  };
  return {
    tryAcquire: (keys) => {
      if (held >= total || dimensions.some((dimension) => freeFor(dimension, keys[dimension]) === 0)) return null;
      held += 1;
      for (const dimension of dimensions) add(dimension, keys[dimension], 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        held -= 1;
        for (const dimension of dimensions) add(dimension, keys[dimension], -1);
      };
    },
    held: () => held,
    heldBy,
    keysHeld: (dimension) => [...countsOf(dimension).keys()],
    freeFor,
  };
}

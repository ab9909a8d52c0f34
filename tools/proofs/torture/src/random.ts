/** Random numbers in [0, 1) that depend only on a seed (mulberry32), so that a run can be repeated. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns one of the items at random. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Returns the items in random order, each once before any is repeated. */
export function createBag<T>(random: Random, items: readonly T[]): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...items];
    const [taken] = left.splice(Math.floor(random() * left.length), 1);
    if (taken === undefined) throw new Error("nothing to take from");
    return taken;
  };
}

/**
 * What is under way, by its number. Stands where a `Map` would whose entries come and go with every request: a `Map` makes itself a new
 * table whenever as many have gone as it has room for, and V8 lets each discarded table point at the one that followed it. Once a full
 * collection has moved one of them among the old objects, young collections take it and all its followers for alive, with everything
 * they held: what a request left behind is then copied twice and kept until the next full collection (docs/decisions/0078). This
 * table only grows.
 */
export type IdTable<T extends object> = {
  get(id: number): T | undefined;
  /** @param id a whole number from 0 to 2^53 - 1 */
  set(id: number, value: T): void;
  /** False when there was none. */
  delete(id: number): boolean;
  clear(): void;
  size(): number;
  /** In no particular order. What it returns does not follow later changes. */
  values(): T[];
};

const capacityFirst = 64;

/** Open addressing with linear probing; entries behind a deleted one move up, so nothing of it stays. */
export function createIdTable<T extends object>(): IdTable<T> {
  let values: (T | undefined)[] = new Array(capacityFirst).fill(undefined);
  let ids: number[] = new Array(capacityFirst).fill(0);
  let mask = capacityFirst - 1;
  let size = 0;

  /** Where it is, or where it would be put. Numbers given one after the other have places one after the other. */
  const placeOf = (id: number): number => {
    let place = id & mask;
    while (values[place] !== undefined && ids[place] !== id) place = (place + 1) & mask;
    return place;
  };

  const grow = (): void => {
    const [oldValues, oldIds] = [values, ids];
    const capacity = 2 * oldValues.length;
    values = new Array(capacity).fill(undefined);
    ids = new Array(capacity).fill(0);
    mask = capacity - 1;
    for (const [at, value] of oldValues.entries()) {
      if (value === undefined) continue;
      const id = oldIds[at] ?? 0;
      const place = placeOf(id);
      values[place] = value;
      ids[place] = id;
    }
  };

  const closeGap = (from: number): void => {
    let gap = from;
    for (let place = (gap + 1) & mask; values[place] !== undefined; place = (place + 1) & mask) {
      const id = ids[place] ?? 0;
      // It may move up unless it would then stand before its own place.
      if (((place - id) & mask) < ((place - gap) & mask)) continue;
      values[gap] = values[place];
      ids[gap] = id;
      gap = place;
    }
    values[gap] = undefined;
  };

  return {
    get: (id) => values[placeOf(id)],
    set: (id, value) => {
      const place = placeOf(id);
      if (values[place] === undefined) size += 1;
      values[place] = value;
      ids[place] = id;
      if (2 * size > values.length) grow();
    },
    delete: (id) => {
      const place = placeOf(id);
      if (values[place] === undefined) return false;
      size -= 1;
      closeGap(place);
      return true;
    },
    clear: () => {
      values.fill(undefined);
      size = 0;
    },
    size: () => size,
    values: () => values.filter((value) => value !== undefined),
  };
}

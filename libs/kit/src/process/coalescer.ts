/** Batches items that arrive at the same time. The promise resolves with the result of the item itself. */
export type Coalescer<T, R = void> = (item: T) => Promise<R>;

/** Outcomes of a call's items, by index. An item without a failure succeeded. */
export type Outcomes<R> = {
  /** Results of the items, by index. Absent if the items have no results. */
  readonly results?: readonly R[];
  readonly failures?: ReadonlyMap<number, unknown>;
};

type Waiting<T, R> = { readonly item: T; resolve(result: R): void; reject(error: unknown): void };

type Lane<T, R> = { waiting: Waiting<T, R>[]; isScheduled: boolean; calls: number };

type CoalescerOptions<T> = {
  /** Maximum number of items in one call. */
  readonly itemsMax: number;
  /** Maximum number of calls in flight for one key; further items wait for the next call. */
  readonly callsMax: number;
  /**
   * Returns the key of an item. Items of different keys do not share a call or wait for each other. By default all
   * items share calls.
   */
  readonly keyOf?: (item: T) => string;
};

/**
 * Batches the items of one event-loop tick into one call for each key. It adds no delay: a single item is sent at the end of its tick.
 * @param act processes a group of items. When it throws, every item fails.
 */
export function createCoalescer<T, R = void>(
  act: (items: readonly T[], key: string) => Promise<Outcomes<R>>,
  { itemsMax, callsMax, keyOf = () => "" }: CoalescerOptions<T>,
): Coalescer<T, R> {
  // A key has an entry only while it has items.
  const lanes = new Map<string, Lane<T, R>>();

  const run = async (key: string, group: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const items = group.map(({ item }) => item);
      const { results = [], failures } = await act(items, key);
      for (const [index, { resolve, reject }] of group.entries()) {
        if (failures?.has(index) === true) reject(failures.get(index));
        else resolve(results[index] as R);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  const flush = (key: string, lane: Lane<T, R>): void => {
    lane.isScheduled = false;
    while (lane.waiting.length > 0 && lane.calls < callsMax) {
      const group = lane.waiting.slice(0, itemsMax);
      lane.waiting = lane.waiting.slice(itemsMax);
      lane.calls += 1;
      void run(key, group).finally(() => {
        lane.calls -= 1;
        flush(key, lane);
      });
    }
    // When a scheduled flush runs, the end of a call may already have sent the items, and the key may have a new lane.
    if (lane.calls === 0 && lanes.get(key) === lane) lanes.delete(key);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const lane = lanes.getOrInsertComputed(key, () => ({ waiting: [], isScheduled: false, calls: 0 }));
      lane.waiting.push({ item, resolve, reject });
      if (lane.isScheduled) return;
      lane.isScheduled = true;
      setImmediate(flush, key, lane);
    });
}

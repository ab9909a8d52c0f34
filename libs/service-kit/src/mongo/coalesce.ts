/** Batches work that arrives at the same time. */
export type Coalescer<T> = (item: T) => Promise<void>;

type Waiting<T> = { readonly item: T; resolve(): void; reject(error: unknown): void };

/**
 * Batches the items of one event-loop tick into one call. It adds no delay: a single item is sent at the end of its tick. While `callsMax` calls are
 * in flight, arrivals wait for the next.
 * @param act processes a group and returns failures by index. When it throws, every item fails.
 */
export function createCoalescer<T>(
  act: (items: readonly T[]) => Promise<ReadonlyMap<number, unknown>>,
  options: { readonly itemsMax: number; readonly callsMax: number },
): Coalescer<T> {
  let waiting: Waiting<T>[] = [];
  let isScheduled = false;
  let calls = 0;

  const run = async (group: readonly Waiting<T>[]): Promise<void> => {
    try {
      const failures = await act(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        if (failures.has(index)) reject(failures.get(index));
        else resolve();
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  const flush = (): void => {
    isScheduled = false;
    while (waiting.length > 0 && calls < options.callsMax) {
      const group = waiting.slice(0, options.itemsMax);
      waiting = waiting.slice(options.itemsMax);
      calls += 1;
      void run(group).finally(() => {
        calls -= 1;
        flush();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    });
}

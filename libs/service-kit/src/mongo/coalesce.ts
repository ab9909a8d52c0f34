/** Work that arrives at the same time, done together. */
export type Coalescer<T> = (item: T) => Promise<void>;

type Waiting<T> = { readonly item: T; resolve(): void; reject(error: unknown): void };

/**
 * Gathers what is asked for in one turn of the event loop and does it by one call. Adds no wait of its own: a lone item leaves at the
 * end of its turn, and while `callsMax` calls are under way arrivals gather for the next.
 * @param act does a group; answers the failures by index. When it throws, every item fails.
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

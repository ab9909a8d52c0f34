/**
 * Gathers the calls of one event-loop turn into one: `runAll` gets all items and answers one result for each, in order. Concurrent
 * deliveries then share one read or one write where each would have made its own.
 */
export function batched<T, R>(runAll: (items: readonly T[]) => Promise<readonly R[]>): (item: T) => Promise<R> {
  type Waiting = { readonly item: T; resolve(result: R): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    runAll(batch.map(({ item }) => item)).then(
      (results) => {
        batch.forEach((each, index) => {
          each.resolve(results[index] as R);
        });
      },
      (error: unknown) => {
        for (const each of batch) each.reject(error);
      },
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ item, resolve, reject });
    });
}

import type { Release } from "./semaphore.ts";

/** An item taken from a queue, and the function that releases its permit. */
export type Taken<T> = { readonly item: T; readonly release: Release };

/**
 * Takes waiting items round robin from the queues, so that a long queue does not delay a short one. An item that gets
 * no permit is skipped, and the next item of its queue is tried.
 * @param options.most maximum number of items
 * @param options.first index of the queue to start with; callers increment it, so that the last permits do not always
 * go to the same queues
 */
export function takeRoundRobin<T>(
  waiting: Iterable<T>,
  options: {
    readonly queueOf: (item: T) => string;
    readonly acquire: (item: T) => Release | null;
    readonly most: number;
    readonly first?: number;
  },
): Taken<T>[] {
  const { queueOf, acquire, most, first = 0 } = options;
  const all = [...Map.groupBy(waiting, queueOf).values()];
  const begin = all.length === 0 ? 0 : first % all.length;
  let queues = [...all.slice(begin), ...all.slice(0, begin)].map((items) => items.values());
  const taken: Taken<T>[] = [];
  const takeOne = (queue: Iterator<T>): boolean => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const release = acquire(next.value);
      if (release === null) continue;
      taken.push({ item: next.value, release });
      return true;
    }
    return false;
  };
  while (queues.length > 0 && taken.length < most)
    queues = queues.filter((queue) => taken.length < most && takeOne(queue));
  return taken;
}

/** Claims the taken items in the store. Releases the permits of items that another process has claimed first. */
export async function claimTaken<C>(
  taken: readonly Taken<{ readonly id: string }>[],
  claim: (ids: readonly string[]) => Promise<readonly C[]>,
  idOf: (claimed: C) => string,
): Promise<Taken<C>[]> {
  const releases = new Map(taken.map(({ item, release }) => [item.id, release]));
  try {
    return (await claim([...releases.keys()])).map((claimed) => {
      const release = releases.get(idOf(claimed)) as Release;
      releases.delete(idOf(claimed));
      return { item: claimed, release };
    });
  } finally {
    for (const release of releases.values()) release();
  }
}

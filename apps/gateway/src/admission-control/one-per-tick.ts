/** Lets callers go on one in each tick of the event loop, in the order they asked, so that the long work of several is not one long tick. */
export type OnePerTick = () => Promise<void>;

export function createOnePerTick(): OnePerTick {
  const queue: (() => void)[] = [];
  const next = (): void => {
    queue.shift()?.();
    if (queue.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      if (queue.push(resolve) === 1) setImmediate(next);
    });
}

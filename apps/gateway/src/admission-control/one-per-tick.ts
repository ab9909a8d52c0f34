/** Releases one caller per event-loop tick, in order, so that several long tasks do not make one long tick. */
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

/** Interruptible sleep of a loop between two polls. */
export type Rest = {
  /** Resolves after `ms` milliseconds, or when it is woken or stopped. Only one sleep at a time. */
  rest(ms: number): Promise<void>;
  /** Ends the present sleep, if any. */
  wake(): void;
};

/** @param signal aborts when the loop is to stop: from then on nothing waits */
export function createRest(signal?: AbortSignal): Rest {
  let end = (): void => {};
  const wake = (): void => end();
  signal?.addEventListener("abort", wake, { once: true });
  return {
    rest: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
        if (signal?.aborted === true) end();
      }),
    wake,
  };
}

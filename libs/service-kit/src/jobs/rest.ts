/** What a loop does between two looks at its work: it waits, unless somebody knows that there is some. */
export type Rest = {
  /** Resolves after `ms` milliseconds, or as soon as it is woken or its loop is to stop. Only one may be waited for at a time. */
  rest(ms: number): Promise<void>;
  /** Ends the rest that is going on; nothing when there is none. */
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

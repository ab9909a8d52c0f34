/** Interruptible sleep of a loop between two polls. */
export type InterruptibleSleep = {
  /** Resolves after `ms` milliseconds, or earlier when it is woken or stopped. Only one sleep may run at a time. */
  sleep(ms: number): Promise<void>;
  /** Ends the current sleep, if any. */
  wake(): void;
};

/** @param signal aborts when the loop is stopped; from then on every sleep ends immediately */
export function createInterruptibleSleep(signal?: AbortSignal): InterruptibleSleep {
  let end = (): void => {};
  const wake = (): void => end();
  signal?.addEventListener("abort", wake, { once: true });
  return {
    sleep: (ms) =>
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

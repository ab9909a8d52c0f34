import { createInterruptibleSleep } from "./interruptible-sleep.ts";

/** A loop that polls for work and waits between two polls. */
export type PollLoop = {
  /** Ends the current wait; a call during a round starts the next round immediately. */
  wake(): void;
  /** Aborts the signal of the rounds, and resolves when the running round has ended. */
  stop(): Promise<void>;
};

type PollLoopOptions = {
  /** Runs one round and returns the wait until the next one, in milliseconds; 0 if there may be more work now. */
  readonly round: (signal: AbortSignal) => Promise<number>;
  /** Called with the error of a round; returns the wait until the next one, in milliseconds. The signal is aborted when the loop is stopping. */
  readonly failed: (error: unknown, signal: AbortSignal) => number;
};

/** Starts a poll loop with its first round; it runs until `stop`. */
export function startPollLoop({ round, failed }: PollLoopOptions): PollLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { sleep, wake } = createInterruptibleSleep(signal);
  let isWoken = false;

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      isWoken = false;
      const waitMs = await round(signal).catch((error: unknown) => failed(error, signal));
      if (waitMs > 0 && !isWoken) await sleep(waitMs);
    }
  };
  const done = loop();

  return {
    wake: () => {
      isWoken = true;
      wake();
    },
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

/** Varies a wait by ± 20 %, so that replicas that started at the same time do not poll at the same time. */
export const jittered = (ms: number): number => ms * (0.8 + 0.4 * Math.random());

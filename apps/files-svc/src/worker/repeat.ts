import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@platform/service-kit/process/logger";

/** A job that runs again and again until it is stopped. */
export type RepeatedJob = { readonly name: string; stop(): Promise<void> };

/** Runs `work` now and every `everyMs` (± 20 %, so that replicas do not run in step). What it throws is logged, and it runs again. */
export function repeat(
  name: string,
  everyMs: number,
  logger: Logger,
  work: (signal: AbortSignal) => Promise<void>,
): RepeatedJob {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"));
      await delay(everyMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => {});
    }
  };
  const done = run();
  return {
    name,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

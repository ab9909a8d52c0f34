import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@platform/service-kit/process/logger";

/**
 * Runs a task again and again, `everyMs` after each end (± 20 %, so that replicas do not run in step). What it throws is logged.
 * @returns stops it and waits for the running one
 */
export function repeat(name: string, everyMs: number, logger: Logger, task: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await task().catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"));
      await delay(everyMs * (0.8 + 0.4 * Math.random()), undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const done = loop();
  return async () => {
    stopping.abort();
    await done;
  };
}

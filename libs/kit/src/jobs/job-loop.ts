import { setTimeout as delay } from "node:timers/promises";
import type { Gauge } from "@prometheus-io/client";
import type { Logger } from "../process/logger.ts";
import { inSpan } from "../process/spans.ts";
import { createInterruptibleSleep } from "./interruptible-sleep.ts";
import { jittered } from "./poll-loop.ts";

/** A loop that claims work in batches and runs it with bounded concurrency. */
export type JobLoop = {
  /** Claims immediately instead of waiting for the next poll. */
  notify(): void;
  /** Returns the number of items in progress. */
  running(): number;
  /**
   * Stops claiming and waits for running work. After `graceMs` the signal passed to `work` aborts; the loop then waits
   * until the work has ended.
   */
  stop(graceMs?: number): Promise<void>;
};

type JobLoopOptions<T> = {
  readonly name: string;
  readonly logger: Logger;
  readonly concurrency: number;
  /** Longest wait between claims if nothing was found, in milliseconds, with a jitter of ± 20 %. */
  readonly pollMs: number;
  /**
   * Longest wait between claims while no item is in progress, in milliseconds; by default `pollMs`. Set it for work
   * that usually arrives with a notification.
   */
  readonly idlePollMs?: number;
  /**
   * Minimum time between two claims, in milliseconds. Busy workers finish items one by one, and a claim of one item
   * costs as much as a claim of many.
   */
  readonly claimEveryMs?: number;
  /** Claims at most `limit` items by lease. */
  readonly claim: (limit: number) => Promise<readonly T[]>;
  /**
   * Processes one claimed item and records its outcome. Errors are logged, and the item can be claimed again when its
   * lease ends.
   */
  readonly work: (item: T, signal: AbortSignal) => Promise<void>;
  /** Returns the traceparent stored in the item, so that its processing belongs to the trace that created it. */
  readonly traceparentOf?: (item: T) => string | null | undefined;
  /**
   * Gauge that each claim sets to the time for which its oldest item had been due. `dueAtOf` returns null for items
   * that were attempted before.
   */
  readonly queueAge?: { readonly gauge: Gauge<"queue">; readonly dueAtOf: (item: T) => Date | null };
};

/** Starts a job loop; it runs until `stop`. */
export function startJobLoop<T>(options: JobLoopOptions<T>): JobLoop {
  const { logger, name, pollMs, idlePollMs = pollMs, claimEveryMs = 0 } = options;
  const stopping = new AbortController();
  const abort = new AbortController();
  const running = new Set<Promise<void>>();
  const { sleep, wake } = createInterruptibleSleep(stopping.signal);
  let isNotified = false;

  const begin = (item: T): void => {
    const parent = options.traceparentOf?.(item) ?? undefined;
    const task = inSpan(`job ${name}`, { kind: "consumer", parent }, () => options.work(item, abort.signal))
      .catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"))
      .finally(() => {
        const wasFull = running.size >= options.concurrency;
        running.delete(task);
        if (wasFull) wake();
      });
    running.add(task);
  };

  const showQueueAge = (items: readonly T[]): void => {
    if (options.queueAge === undefined) return;
    const { gauge, dueAtOf } = options.queueAge;
    // Due times come from the database, so they are compared with the wall clock.
    const nowMs = Date.now();
    const ages = items.map((item) => nowMs - (dueAtOf(item)?.getTime() ?? nowMs));
    gauge.set({ queue: name }, Math.max(0, ...ages) / 1000);
  };

  const loop = async (): Promise<void> => {
    let claimedAtMs = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      const waitMs = claimedAtMs + claimEveryMs - performance.now();
      if (waitMs > 0) await delay(waitMs);
      claimedAtMs = performance.now();
      isNotified = false;
      const free = options.concurrency - running.size;
      let claimed = 0;
      if (free > 0) {
        try {
          const items = await options.claim(free);
          claimed = items.length;
          showQueueAge(items);
          for (const item of items) begin(item);
        } catch (error) {
          logger.error({ err: error, job: name }, "items could not be claimed");
        }
      }
      if (!isNotified && (claimed === 0 || running.size >= options.concurrency))
        await sleep(jittered(running.size === 0 ? idlePollMs : pollMs));
    }
  };
  const done = loop();

  return {
    notify: () => {
      isNotified = true;
      wake();
    },
    running: () => running.size,
    stop: async (graceMs = 15_000) => {
      stopping.abort();
      await done;
      const force = setTimeout(() => abort.abort(), graceMs);
      await Promise.allSettled(running);
      clearTimeout(force);
    },
  };
}

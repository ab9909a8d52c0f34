import { Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "../process/logger.ts";
import type { PutOffItem, PutOffStore } from "../store/put-off-work.ts";
import { backoffMs } from "./backoff.ts";

/** Processes the items of one sweep so that a failing item does not stop the others. */
export type Sweep = {
  /** Starts a run over items that the caller finds itself. */
  begin(signal: AbortSignal): Promise<SweepRun>;
  /**
   * Processes all items that `find` returns. `find` must no longer return an item once its work is done.
   * @param find returns at most `limit` due items except the given ones, in the order in which they became due
   */
  run<T>(options: {
    readonly find: (except: readonly string[], limit: number) => Promise<readonly T[]>;
    readonly idOf: (item: T) => string;
    readonly work: (item: T) => Promise<void>;
    readonly signal: AbortSignal;
  }): Promise<void>;
};

export type SweepRun = {
  /**
   * Processes one item unless it is postponed. A failure is logged and postpones the item, longer each time; it does
   * not reject the promise.
   * @returns whether the work was done
   */
  attempt(item: string, work: () => Promise<void>): Promise<boolean>;
  /** False if the sweep is stopped, or after many consecutive failures, which indicate that a dependency is down. */
  goesOn(): boolean;
  /** Items that must not be attempted now. */
  waiting(): readonly string[];
  /** Ends a run that has seen every due item: removes postponed items that no longer exist. */
  end(): Promise<void>;
};

/** Creates a sweep of a process. Sweeps with different names do not share items. */
export type CreateSweep = (name: string) => Sweep;

const batch = 100;
/** Maximum number of items that a sweep postpones, because each run lists them in its query. */
const putOffMax = 5_000;
/** Number of consecutive failures that end a run, because a shared dependency is unavailable. */
const failuresInARowMax = 20;
const retryRule = { baseMs: 5_000, maxMs: 300_000, jitter: 0.2 };

export function sweepFactory(options: {
  readonly store: PutOffStore;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly registry: Registry;
}): CreateSweep {
  const { store, clock, logger } = options;
  showPutOff(options);
  return (name) => {
    const begin = async (signal: AbortSignal): Promise<SweepRun> => {
      const before = await store.list(name, putOffMax);
      const putOff = new Map<string, PutOffItem>(before.map((one) => [one.item, one]));
      const began = clock();
      const tried = new Set<string>();
      let failuresInARow = 0;
      const isWaiting = (item: string): boolean => {
        const dueAt = putOff.get(item)?.dueAt;
        return tried.has(item) || (dueAt !== undefined && dueAt > began);
      };
      return {
        attempt: async (item, work) => {
          if (isWaiting(item)) return false;
          const attempt = (putOff.get(item)?.attempts ?? 0) + 1;
          try {
            await work();
          } catch (error) {
            // A process that stops aborts its work, which is not a fault of the item.
            if (signal.aborted) return false;
            tried.add(item);
            failuresInARow += 1;
            logger.warn(
              { err: error, job: name, resource_id: item, attempt },
              "the work on an item failed; it is postponed",
            );
            const now = clock();
            await store.putOff(name, item, new Date(now.getTime() + backoffMs(retryRule, attempt)), now);
            return false;
          }
          failuresInARow = 0;
          if (putOff.delete(item)) await store.forget(name, [item]);
          return true;
        },
        goesOn: () => !signal.aborted && failuresInARow < failuresInARowMax && tried.size + putOff.size < putOffMax,
        waiting: () => [...new Set([...tried, ...[...putOff.keys()].filter(isWaiting)])],
        end: async () => {
          // An item whose postponement is over and that this run did not find was finished by another process.
          const gone = [...putOff.values()].filter(({ item, dueAt }) => dueAt <= began && !tried.has(item));
          await store.forget(
            name,
            gone.map(({ item }) => item),
          );
        },
      };
    };
    return {
      begin,
      run: async ({ find, idOf, work, signal }) => {
        const run = await begin(signal);
        while (run.goesOn()) {
          const items = await find(run.waiting(), batch);
          for (const item of items) {
            if (!run.goesOn()) return;
            await run.attempt(idOf(item), () => work(item));
          }
          if (items.length < batch) return run.end();
        }
      },
    };
  };
}

/**
 * Exports how long items have been failing. The database is queried at each scrape, so that every replica exports the
 * same values, and none once the item is done.
 */
function showPutOff({ store, clock, registry }: Parameters<typeof sweepFactory>[0]): void {
  new Gauge({
    name: "platform_put_off_oldest_seconds",
    help: "How long the item of a sweep that has failed longest has been failing.",
    labelNames: ["sweep"],
    registers: [registry],
    collect: async function () {
      const rows = await store.oldest().catch(() => null);
      // The last values are kept while the database does not respond; platform_dependency_up reports the outage.
      if (rows === null) return;
      this.reset();
      for (const { sweep, since } of rows) this.set({ sweep }, Math.max(0, clock().getTime() - since.getTime()) / 1000);
    },
  });
}

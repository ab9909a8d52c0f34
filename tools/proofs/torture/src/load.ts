import { setTimeout as delay } from "node:timers/promises";
import type { Ask } from "./ask.ts";
import type { Domain } from "./domain.ts";

/** The usual requests of project backends at a steady pace. */
export type Load = {
  /** Number of requests without a final response. */
  open(): number;
  /** Changes in the load since the previous call. */
  progress(): { readonly settled: number; readonly again: Readonly<Record<string, number>> };
  /**
   * Stops sending new requests. Resolves when all requests have their response, and rejects if this takes longer than
   * `timeoutMs`.
   */
  finish(timeoutMs: number): Promise<void>;
};

/**
 * Above this number of open requests the load pauses, because it tests the platform and not the memory of this machine.
 */
const openMax = 20_000;
const tickMs = 20;

/** Starts the load of the domains, each at its own pace. */
export function startLoad(domains: readonly { name: string; domain: Domain; perSecond: number }[], ask: Ask): Load {
  const openBy = new Map<string, number>();
  let open = 0;
  let settled = 0;
  const count = (name: string, change: number): void => {
    open += change;
    openBy.set(name, (openBy.get(name) ?? 0) + change);
  };
  const failures: unknown[] = [];
  const streams = domains.map(({ name, domain, perSecond }) =>
    pace(perSecond, () => {
      count(name, 1);
      domain
        .load()
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          count(name, -1);
          settled += 1;
        });
    }),
  );
  const timer = setInterval(() => {
    if (open > openMax) return;
    for (const stream of streams) stream();
  }, tickMs);

  return {
    open: () => open,
    progress: () => {
      const progress = { settled, again: ask.takeFailures() };
      settled = 0;
      return progress;
    },
    finish: async (timeoutMs) => {
      clearInterval(timer);
      const until = performance.now() + timeoutMs;
      while (open > 0 && performance.now() < until) await delay(100);
      if (failures.length > 0) throw new AggregateError(failures, "the load itself failed");
      if (open === 0) return;
      const left = [...openBy].filter(([, of]) => of > 0).map(([name, of]) => `${of} ${name}`);
      throw new Error(`no final answer within ${timeoutMs / 1000} s: ${left.join(", ")}`);
    },
  };
}

/** Starts all requests that are due by now. */
function pace(perSecond: number, begin: () => void): () => void {
  let lastMs = performance.now();
  let due = 0;
  return () => {
    const now = performance.now();
    // Requests that were missed during a stall are not made up for, because a burst would be a different load.
    due += Math.min(now - lastMs, 200) * (perSecond / 1000);
    lastMs = now;
    for (; due >= 1; due -= 1) begin();
  };
}

import type { RedisConnection } from "@platform/quota/connect-redis";

/** Waits for a claim of another request to end. */
export type RecordWaiter = {
  /** Resolves once the claim of `key` has ended, or at `untilMs` by `performance.now()`. */
  settled(key: string, untilMs: number): Promise<void>;
};

/** Creates a waiter that polls Redis with one read per key for all requests that wait for it. */
export function createRecordWaiter(redis: RedisConnection): RecordWaiter {
  const reads = new Map<string, Promise<string | null>>();
  const read = (key: string, afterMs: number): Promise<string | null> => {
    const known = reads.get(key);
    if (known !== undefined) return known;
    const reading = new Promise((resolve) => setTimeout(resolve, afterMs))
      .then(() => redis.get(key))
      .finally(() => reads.delete(key));
    reads.set(key, reading);
    return reading;
  };
  return {
    settled: async (key, untilMs) => {
      for (let afterMs = 5; performance.now() < untilMs; afterMs = Math.min(afterMs * 2, 100)) {
        const record = await read(key, Math.min(afterMs, Math.max(1, untilMs - performance.now())));
        if (record === null || !record.startsWith("R")) return;
      }
    },
  };
}

import type { Redis } from "ioredis";

/**
 * Where loads that ask Redis themselves write, beside the platform's database. What they leave there goes when they end: the claims of one
 * load, some hundred thousand, expire together half a minute later, and Redis spends up to a quarter of its time on that, in turns of
 * 25 ms, while something else is measured.
 */
export function databaseOfLoads(url: string): string {
  const own = new URL(url);
  own.pathname = "/1";
  return own.href;
}

/** Empties the database of a load's connection, which ends with it. */
export async function leaveEmpty(redis: Redis): Promise<void> {
  await redis.flushdb("SYNC");
  redis.disconnect();
}

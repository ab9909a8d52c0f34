import { Redis } from "ioredis";

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

/** Empties that database, however long it takes: a load's own connection may be one whose commands time out. */
export async function emptyDatabaseOfLoads(url: string): Promise<void> {
  const redis = new Redis(databaseOfLoads(url));
  try {
    await redis.flushdb("SYNC");
  } finally {
    redis.disconnect();
  }
}

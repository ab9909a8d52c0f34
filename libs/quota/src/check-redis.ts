import { Cluster, ReplyError } from "ioredis";
import type { RedisConnection } from "./connect-redis.ts";

/** In a Cluster, the check writes this many keys, so that each of a few primaries receives at least one. */
const clusterKeys = 16;
/** The keys expire by themselves after this many milliseconds. */
const keyMs = 60_000;

/**
 * Checks that Redis accepts writes, by writing a key. A PING would not detect a server that responds but rejects
 * writes: a replica (READONLY), a full server (OOM), a primary without its replicas (NOREPLICAS), or one that cannot
 * save (MISCONF). If a server rejects the write because it is no longer the primary, the connection is also reopened.
 * @param key written by the check; the connection's Redis user must be allowed to write it
 * @returns true, or the server's error message
 * @throws if Redis cannot be reached or does not respond within the time-out of a command
 */
export async function checkRedis(redis: RedisConnection, key = "platform:check"): Promise<true | string> {
  try {
    const keys =
      redis instanceof Cluster ? Array.from({ length: clusterKeys }, (_, index) => `${key}:${index}`) : [key];
    await Promise.all(keys.map((each) => redis.set(each, "1", "PX", keyMs)));
    return true;
  } catch (error) {
    if (error instanceof ReplyError) return (error as Error).message;
    throw error;
  }
}

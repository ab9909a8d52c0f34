import { Cluster, ReplyError } from "ioredis";
import type { RedisConnection } from "./connect-redis.ts";

/** In a Cluster, several keys are written, so that each of a few primaries receives one. */
const clusterKeys = 16;
/** The keys expire by themselves. */
const keyMs = 60_000;

/**
 * Checks that Redis does its work: writes a key. A PING says nothing of a server that responds and refuses: a replica (READONLY), a full one (OOM), a
 * primary without its replicas (NOREPLICAS), one that cannot save (MISCONF). A refusal by a demoted server also reopens the connection.
 * @param key written by the check; the connection's Redis user must be allowed to
 * @returns true, or the refusal in the server's words
 * @throws when Redis cannot be reached or does not respond within the time-out of a command
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

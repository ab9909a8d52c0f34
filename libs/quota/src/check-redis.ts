import { Cluster, ReplyError } from "ioredis";
import type { RedisConnection } from "./connect-redis.ts";

/** Keys that the check writes; of a Cluster several, so that each of a few primaries has one. They end by themselves. */
const key = "platform:check";
const clusterKeys = Array.from({ length: 16 }, (_, index) => `${key}:${index}`);
const keyMs = 60_000;

/**
 * Checks that Redis does its work: writes a key. A PING says nothing of a server that answers and refuses: a replica (READONLY), a full one (OOM), a
 * primary without its replicas (NOREPLICAS), one that cannot save (MISCONF). The refusal of a demoted server also makes the connection anew.
 * @returns true, or the refusal in the server's words
 * @throws when Redis cannot be reached or does not answer within the time-out of a command
 */
export async function checkRedis(redis: RedisConnection): Promise<true | string> {
  try {
    const keys = redis instanceof Cluster ? clusterKeys : [key];
    await Promise.all(keys.map((each) => redis.set(each, "1", "PX", keyMs)));
    return true;
  } catch (error) {
    if (error instanceof ReplyError) return (error as Error).message;
    throw error;
  }
}

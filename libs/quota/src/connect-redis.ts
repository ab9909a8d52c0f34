import { Redis } from "ioredis";

/**
 * A Redis connection that fails fast and closed: no offline queue, one retry, 250 ms a command. It reconnects by itself.
 * @param onError told of every connection error; ioredis would print it otherwise
 */
export function connectRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: 250,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    enableReadyCheck: true,
    retryStrategy: (times) => Math.min(50 * times, 500),
  });
  redis.on("error", onError);
  return redis;
}

import type { Logger } from "@platform/kit/process/telemetry";
import type { RedisConnection } from "@platform/quota/connect-redis";

/** Channel on which workers are notified that a File Object has entered quarantine. */
export const quarantinedChannel = "files:quarantined";

/** Wakes the workers. Never throws, and nothing waits for it; without it they find the File Object by their next poll. */
export function createAnnounceQuarantined(redis: Pick<RedisConnection, "publish">, logger: Logger): () => void {
  return () => {
    redis
      .publish(quarantinedChannel, "")
      .catch((error: unknown) =>
        logger.warn({ err: error }, "a quarantined file could not be announced to the workers"),
      );
  };
}

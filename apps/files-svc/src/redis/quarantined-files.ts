import type { Logger } from "@platform/kit/process/telemetry";
import type { RedisConnection } from "@platform/quota/connect-redis";

/** Channel on which workers are notified of File Objects that have entered quarantine. */
export const quarantinedChannel = "files:quarantined";

/**
 * Notifies the workers. It never throws, and nothing waits for it. If the notification is lost, they find the File
 * Object at their next poll.
 */
export function createAnnounceQuarantined(redis: Pick<RedisConnection, "publish">, logger: Logger): () => void {
  return () => {
    redis
      .publish(quarantinedChannel, "")
      .catch((error: unknown) =>
        logger.warn({ err: error }, "a quarantined file could not be announced to the workers"),
      );
  };
}

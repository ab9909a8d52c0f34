import type { Logger } from "@platform/kit/process/telemetry";
import { type IdentityChange, identityChangesChannel } from "@platform/operator-plane/clients";
import type { RedisConnection } from "@platform/quota/connect-redis";

/** Announces a change to every gateway, after its write. Never throws, because the gateways' caches expire anyway. */
export type AnnounceChange = (change: IdentityChange) => Promise<void>;

/** Creates the function that announces changes over Redis. */
export function createAnnounceChange(redis: RedisConnection, logger: Logger): AnnounceChange {
  return async (change) => {
    try {
      await redis.publish(identityChangesChannel, JSON.stringify(change));
    } catch (error) {
      logger.warn(
        { err: error, resource_id: change.id, reason: change.kind },
        "a change could not be announced; gateways see it when their cache entry expires",
      );
    }
  };
}

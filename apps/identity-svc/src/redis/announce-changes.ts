import type { RedisConnection } from "@platform/quota/connect-redis";
import type { Logger } from "@platform/service-kit/process/logger";

/** Channel on which gateways learn that an authentication they may have cached has changed. */
export const changesChannel = "identity:changes";

/** What changed: the id is the credential's or session's 32 hex characters, or the Project Client's UUID. */
export type IdentityChange = { readonly kind: "credential" | "client" | "session"; readonly id: string };

/** Tells every gateway. Call it after the write it tells of; it never throws, for the bound of the gateways' caches still holds. */
export type AnnounceChange = (change: IdentityChange) => Promise<void>;

/** Announces over Redis. */
export function createAnnounceChange(redis: RedisConnection, logger: Logger): AnnounceChange {
  return async (change) => {
    try {
      await redis.publish(changesChannel, JSON.stringify(change));
    } catch (error) {
      logger.warn(
        { err: error, resource_id: change.id, reason: change.kind },
        "change not announced; gateways notice when their cached answer runs out",
      );
    }
  };
}

import type { Logger } from "@platform/kit/process/telemetry";
import type { RedisConnection } from "@platform/quota/connect-redis";
import type { FollowChannel } from "@platform/quota/follow-channel";

/** Channel that announces events to number to the workers. */
export const publishedChannel = "events:published";

/** Announces a stored event. Cheap enough to call for each one. */
export type AnnouncePublished = () => void;

/**
 * Announces stored events over Redis, at most once per `everyMs`; a listener polls until no event has arrived for
 * longer than that. It never throws, and nothing waits for it; without it, the workers find the events at their next
 * poll.
 */
export function createAnnouncePublished(
  redis: Pick<RedisConnection, "publish">,
  logger: Logger,
  everyMs: number = announceEveryMs,
): AnnouncePublished {
  let isQuiet = false;
  return () => {
    if (isQuiet) return;
    isQuiet = true;
    setTimeout(() => {
      isQuiet = false;
    }, everyMs).unref();
    redis
      .publish(publishedChannel, "")
      .catch((error: unknown) =>
        logger.warn({ err: error }, "published events could not be announced; workers find them with their next poll"),
      );
  };
}

/** Interval of announcements under continuous publishing, in milliseconds. */
export const announceEveryMs = 250;

/** Calls `onPublished` for each announcement, and when announcements may have been missed. */
export function followPublished(follow: FollowChannel, onPublished: () => void): { close(): void } {
  return follow(publishedChannel, { onMessage: onPublished, onSubscribed: onPublished });
}

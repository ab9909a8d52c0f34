import type { Logger } from "@platform/kit/process/telemetry";
import type { RedisConnection } from "@platform/quota/connect-redis";
import type { FollowChannel } from "@platform/quota/follow-channel";

/** Redis channel that announces new events to the workers, which then number them. */
export const publishedChannel = "events:published";

/** Announces a stored event. The function is so cheap that it can be called for every event. */
export type AnnouncePublished = () => void;

/**
 * Announces stored events over Redis, at most once per `everyMs`. A listener polls until no event has arrived for
 * longer than that. The function never throws, and nothing waits for it. If an announcement is lost, the workers find
 * the events at their next poll.
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

/** Interval of announcements while events are published continuously, in milliseconds. */
export const announceEveryMs = 250;

/** Calls `onPublished` for each announcement, and whenever announcements may have been missed. */
export function followPublished(follow: FollowChannel, onPublished: () => void): { close(): void } {
  return follow(publishedChannel, { onMessage: onPublished, onSubscribed: onPublished });
}

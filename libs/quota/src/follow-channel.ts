import { connectRedis } from "./connect-redis.ts";

/**
 * Follows a pub/sub channel over a connection of its own, whenever Redis can be reached.
 * @param handlers `onSubscribed` is called each time the subscription is made: what was said before it was missed
 */
export function followChannel(
  url: string,
  channel: string,
  handlers: { onMessage(message: string): void; onSubscribed(): void; onError(error: Error): void },
): { close(): void } {
  const subscriber = connectRedis(url, handlers.onError);
  subscriber.on("message", (_channel, message) => handlers.onMessage(message));
  subscriber.on("ready", () => {
    subscriber.subscribe(channel).then(handlers.onSubscribed, handlers.onError);
  });
  return { close: () => subscriber.disconnect() };
}

import { connectRedis, type RedisSettings } from "./connect-redis.ts";

/** Called for each message, and after each subscription, because earlier messages were missed. */
type ChannelHandlers = { onMessage(message: string): void; onSubscribed(): void };

/** Creates the function that follows a pub/sub channel over its own connection, whenever Redis can be reached. */
export function channelFollower(
  redis: RedisSettings,
  onError: (error: Error) => void,
): (channel: string, handlers: ChannelHandlers) => { close(): void } {
  return (channel, { onMessage, onSubscribed }) => {
    const subscriber = connectRedis(redis, onError);
    subscriber.on("message", (_channel, message) => onMessage(message));
    subscriber.on("ready", () => {
      subscriber.subscribe(channel).then(onSubscribed, onError);
    });
    return { close: () => subscriber.disconnect() };
  };
}

import { connectRedis } from "./connect-redis.ts";

/** Told of messages, and each time the subscription is made: what was said before that was missed. */
type ChannelHandlers = { onMessage(message: string): void; onSubscribed(): void };

/** Makes the function that follows a pub/sub channel, over a connection of its own, whenever Redis can be reached. */
export function channelFollower(
  url: string,
  onError: (error: Error) => void,
): (channel: string, handlers: ChannelHandlers) => { close(): void } {
  return (channel, { onMessage, onSubscribed }) => {
    const subscriber = connectRedis(url, onError);
    subscriber.on("message", (_channel, message) => onMessage(message));
    subscriber.on("ready", () => {
      subscriber.subscribe(channel).then(onSubscribed, onError);
    });
    return { close: () => subscriber.disconnect() };
  };
}

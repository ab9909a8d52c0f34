import { Redis } from "ioredis";
import {
  connectRedis,
  type RedisConnection,
  type RedisSettings,
  reconnect,
  reconnectIfDemoted,
} from "./connect-redis.ts";

/**
 * `onMessage` is called for each message. `onSubscribed` is called after each subscription, because messages before it
 * were missed.
 */
type ChannelHandlers = { onMessage(message: string): void; onSubscribed(): void };

/** Subscribes to a channel; `onSubscribed` is called whenever messages may have been missed. */
export type FollowChannel = (channel: string, handlers: ChannelHandlers) => { close(): void };

/** Interval between two pings of a subscriber's connection, and maximum wait for the response, in milliseconds. */
const askEveryMs = 5_000;
const answerMsMax = 2_000;

/**
 * Creates the function that subscribes to a pub/sub channel over its own connection, whenever Redis can be reached. A
 * subscriber only receives, so it would never notice that its connection no longer leads to the primary. The connection
 * is therefore pinged every five seconds, and replaced if the server does not respond or is a replica.
 */
export function channelFollower(redis: RedisSettings, onError: (error: Error) => void): FollowChannel {
  return (channel, { onMessage, onSubscribed }) => {
    const subscriber = connectRedis(redis, onError);
    subscriber.on("message", (_channel, message) => onMessage(message));
    let isSubscribed = false;
    const subscribe = async (): Promise<void> => {
      await subscriber.subscribe(channel);
      if (isSubscribed) return;
      isSubscribed = true;
      onSubscribed();
    };
    subscriber.on("ready", () => {
      isSubscribed = false;
      subscribe().catch(onError);
    });
    // The connection may be open while Redis has rejected the subscription, or has not responded to it. Each ping
    // therefore subscribes again.
    const asking = setInterval(() => {
      if (subscriber.status === "ready") isAlive(subscriber, subscribe).catch(onError);
    }, askEveryMs).unref();
    return {
      close: () => {
        clearInterval(asking);
        subscriber.disconnect();
      },
    };
  };
}

/** Pings a subscriber's connection. Replaces the connection if the server does not respond or is a replica. */
async function isAlive(subscriber: RedisConnection, subscribe: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error("a subscription's connection is silent"));
      reconnect(subscriber);
    }, answerMsMax).unref();
  });
  // In a Cluster, ioredis subscribes over a separate connection, which only a subscription can check. If the
  // subscription exists, subscribing again changes nothing.
  const answered = subscribe().then(async () => {
    if (!(subscriber instanceof Redis) || subscriber.mode !== "normal") return;
    const isReplica = /^role:slave/m.test(await subscriber.info("replication"));
    if (isReplica) reconnectIfDemoted(subscriber, "READONLY the server of a subscription is a replica");
  });
  await Promise.race([answered, silence]).finally(() => clearTimeout(timer));
}

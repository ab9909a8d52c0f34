import type { Socket } from "node:net";
import { type Command, Redis } from "ioredis";

/** Longest wait for the answer to one command, in milliseconds. */
const commandMsMax = 250;

/**
 * A Redis connection whose commands time out by what Redis did, not by what this process was busy with: when the timer fires, the answers
 * that already lie in the socket are read first. A timer alone would fail commands that Redis answered at once, whenever the event loop
 * stalled under load.
 */
class TimedRedis extends Redis {
  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    this.#holdWrites();
    const sent = super.sendCommand(command, stream);
    if (subscriberCommands.has(command.name)) return sent;
    const timer = setTimeout(() => {
      // Timers run before the sockets are read; two turns later both have been.
      setImmediate(() => setImmediate(() => command.reject(new Error(`Redis did not answer ${command.name} in time`))));
    }, commandMsMax);
    const settled = (): void => clearTimeout(timer);
    command.promise.then(settled, settled);
    return sent;
  }

  /** Commands of one turn of the event loop leave in one write: the system call for each was what a request cost most. */
  #holdWrites(): void {
    const socket = this.stream as Socket | undefined;
    if (socket === undefined || socket.writableCorked > 0) return;
    socket.cork();
    setImmediate(() => socket.uncork());
  }
}

const subscriberCommands = new Set(["subscribe", "unsubscribe", "psubscribe"]);

/**
 * A Redis connection that fails fast and closed: no offline queue, one retry, 250 ms a command. It reconnects by itself.
 * @param onError told of every connection error; ioredis would print it otherwise
 */
export function connectRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new TimedRedis(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    enableReadyCheck: true,
    retryStrategy: (times) => Math.min(50 * times, 500),
  });
  redis.on("error", onError);
  return redis;
}

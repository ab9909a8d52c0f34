import type { Socket } from "node:net";
import { type Command, Redis } from "ioredis";

/** Longest wait for the answer to one command, in milliseconds. */
const commandMsMax = 250;

/** How often the commands under way are looked at, in milliseconds: one is given up at most so much too late. */
const lookMs = 25;

/**
 * Commands of one turn of the event loop that leave together. One system call for several is what spares time; Redis answers the first of a
 * long turn while its last are still being made, instead of each waiting for the other.
 */
const togetherMax = 16;

type Sent = { readonly command: Command; readonly atMs: number };

/**
 * A Redis connection whose commands time out by what Redis did, not by what this process was busy with: when their time is over, the
 * answers that already lie in the socket are read first. A timer alone would fail commands that Redis answered at once, whenever the event
 * loop stalled under load.
 */
class TimedRedis extends Redis {
  /** Every command has the same time, so they are due in the order they were sent: one timer for all instead of one for each. */
  readonly #sent: Sent[] = [];
  #looking: NodeJS.Timeout | null = null;
  /** Commands that the socket holds back. */
  #held = 0;

  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    this.#holdWrites();
    const answer = super.sendCommand(command, stream);
    if (subscriberCommands.has(command.name) || command.isSettled) return answer;
    // Those that were answered go at once: whatever hangs on them would be copied by the next young collection.
    while (this.#sent[0]?.command.isSettled === true) this.#sent.shift();
    this.#sent.push({ command, atMs: performance.now() });
    this.#looking ??= setInterval(() => this.#giveUpLate(), lookMs);
    return answer;
  }

  #giveUpLate(): void {
    const sent = this.#sent;
    const latestMs = performance.now() - commandMsMax;
    let looked = 0;
    for (const { command, atMs } of sent) {
      if (!command.isSettled) {
        if (atMs > latestMs) break;
        giveUp(command);
      }
      looked += 1;
    }
    sent.splice(0, looked);
    if (sent.length > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }

  /** Commands leave several in one write, and the rest with the end of the turn: the system call for each was what a request cost most. */
  #holdWrites(): void {
    const socket = this.stream as Socket | undefined;
    if (socket === undefined) return;
    if (socket.writableCorked === 0) setImmediate(() => socket.uncork());
    else if (this.#held === togetherMax) socket.uncork();
    else {
      this.#held += 1;
      return;
    }
    socket.cork();
    this.#held = 1;
  }
}

/** Timers run before the sockets are read; two turns later both have been. */
function giveUp(command: Command): void {
  setImmediate(() => setImmediate(() => command.reject(new Error(`Redis did not answer ${command.name} in time`))));
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
